import { memo } from "react";
import type { Answer as AnswerData } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import { Notice } from "../../ui/notice";
import { Markdown } from "../markdown/markdown";
import styles from "./answer.module.css";

/** The answer, as it is written or as it stands. */
export const Answer = memo(function Answer({ answer: { state, text, attempt } }: { answer: AnswerData }) {
  const texts = useTexts();
  if (state === "none" || (state !== "streaming" && text === "")) return null;
  return (
    <div role="group" className={styles.answer} aria-label={texts.answer.label} aria-busy={state === "streaming"}>
      {state === "streaming" && attempt > 1 && <Notice look="quiet" title={texts.answer.attempt} />}
      <Markdown key={attempt} text={text} growing={state === "streaming"} />
      {state === "partial" && <Notice look="warn" title={texts.answer.partial} />}
    </div>
  );
});
