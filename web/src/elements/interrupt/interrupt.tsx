import type { Interrupt as InterruptItem, InterruptState } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import { Icon, type IconName } from "../../ui/icon/icon";
import styles from "./interrupt.module.css";

const ICONS: Readonly<Record<InterruptState, IconName>> = {
  queued: "clock",
  delivered: "check",
  answered: "check",
  returned: "undo",
};

/** What the person said to the running agent, with its receipt. */
export function Interrupt({ item: { content, state } }: { item: InterruptItem }) {
  const texts = useTexts();
  return (
    <div className={styles.interrupt} role="group" aria-label={texts.interrupt.label}>
      <p className={styles.text}>{content}</p>
      <p className={styles.receipt} data-state={state}>
        <Icon name={ICONS[state]} size={12} />
        {texts.interrupt[state]}
      </p>
    </div>
  );
}
