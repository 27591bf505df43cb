import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import styles from "./app-layout.module.css";
import { type SidePanel, SidePanelContext } from "./side-panel";
import { useWide } from "./use-wide";

interface AppLayoutProps {
  readonly side: ReactNode;
  readonly children: ReactNode;
  readonly sideLabel: string;
  readonly closeLabel: string;
  /** Where the skip link leads, and what it is called. */
  readonly skip: { readonly to: string; readonly label: string };
}

/** The page: a side panel (a drawer on a phone) and the main column. */
export function AppLayout({ side, children, sideLabel, closeLabel, skip }: AppLayoutProps) {
  const wide = useWide();
  const [open, setOpen] = useState(wide);
  const over = open && !wide;

  useEffect(() => setOpen(wide), [wide]);

  useEffect(() => {
    if (!over) return;
    const close = (event: KeyboardEvent) => event.key === "Escape" && setOpen(false);
    document.addEventListener("keydown", close);
    return () => document.removeEventListener("keydown", close);
  }, [over]);

  const sidePanel = useRef<HTMLElement>(null);
  // Over the page it is like a dialog: the focus goes in, and then back to where it was.
  useEffect(() => {
    if (!over) return;
    const before = document.activeElement;
    sidePanel.current?.querySelector<HTMLElement>("a, button")?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, [over]);

  const panel = useMemo<SidePanel>(() => ({ open, over, setOpen }), [open, over]);
  return (
    <SidePanelContext value={panel}>
      <a className={styles.skip} href={`#${skip.to}`}>
        {skip.label}
      </a>
      <div className={styles.layout} data-open={open} data-wide={wide}>
        <aside ref={sidePanel} className={styles.side} aria-label={sideLabel} inert={!open}>
          {side}
        </aside>
        {over && (
          <button type="button" className={styles.backdrop} aria-label={closeLabel} onClick={() => setOpen(false)} />
        )}
        <main className={styles.main} inert={over}>
          {children}
        </main>
      </div>
    </SidePanelContext>
  );
}
