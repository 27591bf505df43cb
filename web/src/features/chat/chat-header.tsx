import { useTexts } from "../../i18n/i18n";
import { IconButton } from "../../ui/button/button";
import { useSidePanel } from "../../ui/layout/side-panel";
import styles from "./chat-header.module.css";

/** The conversation's title, and the way to the others when they are not beside it. */
export function ChatHeader({ title }: { title: string }) {
  const texts = useTexts();
  const panel = useSidePanel();
  return (
    <header className={styles.header}>
      {(!panel.open || panel.over) && (
        <IconButton
          icon="panel"
          label={texts.sidebar.open}
          aria-expanded={panel.open}
          onClick={() => panel.setOpen(true)}
        />
      )}
      <h1 className={styles.title} title={title}>
        {title === "" ? <span className="visually-hidden">{texts.sidebar.untitled}</span> : title}
      </h1>
    </header>
  );
}
