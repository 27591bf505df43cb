import type { Trouble as TroubleItem } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import { Notice } from "../../ui/notice";

/** Something went wrong: the run went on all the same, or it ended there. */
export function Trouble({ item: { message, recoverable } }: { item: TroubleItem }) {
  const texts = useTexts();
  return (
    <Notice
      look={recoverable ? "warn" : "danger"}
      title={recoverable ? texts.trouble.recoverable : texts.trouble.final}
    >
      {message}
    </Notice>
  );
}
