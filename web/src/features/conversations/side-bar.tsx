import { type ReactNode, useCallback, useRef, useState } from "react";
import { useTexts } from "../../i18n/i18n";
import { IconButton } from "../../ui/button/button";
import { Icon } from "../../ui/icon/icon";
import { useSidePanel } from "../../ui/layout/side-panel";
import { PlainLink } from "../../ui/plain-link";
import { ConversationList } from "./conversation-list";
import { SearchField } from "./search-field";
import styles from "./side-bar.module.css";
import { useKeys } from "./use-keys";
import { useRested } from "./use-rested";

interface SideBarProps {
  readonly currentId: string | null;
  readonly onOpen: (id: string) => void;
  readonly onNew: () => void;
  readonly footer?: ReactNode;
}

/** The conversations, and the way to a new one. */
export function SideBar({ currentId, onOpen, onNew, footer }: SideBarProps) {
  const texts = useTexts();
  const panel = useSidePanel();
  const [search, setSearch] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const sought = useRested(search.trim());

  const { over, setOpen } = panel;

  const open = useCallback(
    (id: string | null) => {
      if (over) setOpen(false);
      if (id === null) onNew();
      else onOpen(id);
    },
    [over, setOpen, onNew, onOpen],
  );

  useKeys({
    onSearch: () => {
      setOpen(true);
      // A frame later, when the panel is there to take the focus.
      requestAnimationFrame(() => {
        field.current?.focus();
        field.current?.select();
      });
    },
    onNew: () => open(null),
  });

  return (
    <>
      <header className={styles.header}>
        <span className={styles.brand}>
          <Mark />
          {texts.app.name}
        </span>
        <IconButton icon="panel" label={texts.sidebar.close} aria-expanded onClick={() => panel.setOpen(false)} />
      </header>
      <div className={styles.top}>
        <PlainLink href="/" className={styles.new} onFollow={() => open(null)}>
          <Icon name="plus" />
          {texts.sidebar.new}
        </PlainLink>
        <SearchField ref={field} value={search} onChange={setSearch} />
      </div>
      <nav className={styles.list} aria-label={texts.sidebar.label}>
        <ConversationList currentId={currentId} search={sought} onOpen={open} />
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
