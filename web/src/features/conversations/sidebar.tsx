import { type ReactNode, useCallback, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useTexts } from "../../i18n/i18n";
import { IconButton } from "../../ui/button/button";
import { Icon } from "../../ui/icon/icon";
import { useSidePanel } from "../../ui/layout/side-panel";
import { ConversationList } from "./conversation-list";
import { SearchField } from "./search-field";
import styles from "./sidebar.module.css";
import { useRested } from "./use-rested";
import { useShortcuts } from "./use-shortcuts";

interface SidebarProps {
  readonly currentId: string | null;
  readonly footer?: ReactNode;
}

/** The conversations, and the way to a new one. */
export function Sidebar({ currentId, footer }: SidebarProps) {
  const texts = useTexts();
  const panel = useSidePanel();
  const [, navigate] = useLocation();
  const [search, setSearch] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const sought = useRested(search.trim());

  const leave = useCallback(() => {
    if (panel.over) panel.setOpen(false);
  }, [panel]);

  useShortcuts({
    onSearch: () => {
      panel.setOpen(true);
      requestAnimationFrame(() => field.current?.select());
    },
    onNew: () => {
      leave();
      navigate("/");
    },
  });

  return (
    <>
      <header className={styles.header}>
        <span className={styles.brand}>
          <Mark />
          {texts.app.name}
        </span>
        <IconButton icon="menu" label={texts.sidebar.close} aria-expanded onClick={() => panel.setOpen(false)} />
      </header>
      <div className={styles.top}>
        <Link href="/" className={styles.new} onClick={leave}>
          <Icon name="plus" />
          {texts.sidebar.new}
        </Link>
        <SearchField ref={field} value={search} onChange={setSearch} />
      </div>
      <nav className={styles.list} aria-label={texts.sidebar.label}>
        <ConversationList currentId={currentId} search={sought} onLeave={leave} />
      </nav>
      {footer !== undefined && <div className={styles.footer}>{footer}</div>}
    </>
  );
}

/** A loop that acts: an open ring with an arrow's head. */
function Mark() {
  return (
    <svg className={styles.mark} width="22" height="22" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M19.5 12a7.5 7.5 0 1 1-2.7-5.76" />
      <path d="M17.5 2.500v4.2h-4.2" />
      <circle cx="12" cy="12" r="2.25" />
    </svg>
  );
}
