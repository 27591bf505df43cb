import styles from "./status.module.css";

/** What goes on right now, in a line that shimmers. */
export function Status({ text, since }: { text: string; since?: string | undefined }) {
  return (
    <p className={styles.status}>
      <span className={styles.text}>{text}</span>
      {since !== undefined && <span className={styles.since}>{since}</span>}
    </p>
  );
}
