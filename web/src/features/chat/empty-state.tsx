import { useTexts } from "../../i18n/i18n";
import styles from "./empty-state.module.css";

/** A greeting, and some questions to begin with. */
export function EmptyState({ onChoose }: { onChoose: (question: string) => void }) {
  const texts = useTexts();
  return (
    <div className={styles.empty}>
      <h2 className={styles.title}>{texts.chat.emptyTitle}</h2>
      <p className={styles.hint}>{texts.chat.emptyHint}</p>
      <ul className={styles.examples} aria-label={texts.chat.examplesLabel}>
        {texts.chat.examples.map(({ title, question }) => (
          <li key={title}>
            <button type="button" className={styles.example} onClick={() => onChoose(question)}>
              <span className={styles.name}>{title}</span>
              <span className={styles.question}>{question}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
