import type { Demotion as DemotionItem } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import { Notice } from "../../ui/notice";

/** The model could not do what it said it could; the run went on another way. */
export function Demotion({ item }: { item: DemotionItem }) {
  const texts = useTexts();
  return (
    <Notice look="quiet" title={texts.demotion.title}>
      {texts.demotion.known[item.reason] ?? item.reason}
    </Notice>
  );
}
