import { useTexts } from "../../i18n/i18n";
import styles from "./turn-skeleton.module.css";

/** In place of what is on its way. */
export function TurnSkeleton() {
  const texts = useTexts();
  return (
    <div className={styles.skeleton}>
      <span className="visually-hidden">{texts.app.loading}</span>
      <i />
      <i />
      <i />
    </div>
  );
}
