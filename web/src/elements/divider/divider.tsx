import type { Divider as DividerItem } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import { Icon } from "../../ui/icon/icon";
import styles from "./divider.module.css";

/** Where earlier context became a summary. */
export function Divider({ item: { originalMessages, keptMessages } }: { item: DividerItem }) {
  const texts = useTexts();
  const summarised = Math.max(originalMessages - keptMessages, 1);
  return (
    <p className={styles.divider} title={texts.divider.hint(originalMessages, keptMessages)}>
      <Icon name="summary" size={14} />
      {texts.divider.summarised(summarised)}
    </p>
  );
}
