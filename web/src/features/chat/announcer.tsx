import { useEffect, useRef, useState } from "react";
import type { Turn } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";

const FORGOTTEN_AFTER = 8000;
const LONGEST = 10_000;

/** Tells screen readers what changed: that the agent works, and its answer, once and whole instead of piece by piece. */
export function Announcer({ last }: { last: Turn | undefined }) {
  const texts = useTexts();
  const [said, setSaid] = useState("");
  const running = last?.state === "running";
  const before = useRef(false);

  useEffect(() => {
    if (before.current === running || last === undefined) return;
    before.current = running;
    setSaid(running ? texts.chat.working : texts.chat.answered(spoken(last.run.answer.text)));
  }, [running, last, texts]);

  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), FORGOTTEN_AFTER);
    return () => clearTimeout(timer);
  }, [said]);

  return (
    <div role="log" aria-live="polite" aria-label={texts.chat.log} className="visually-hidden">
      {said}
    </div>
  );
}

/** Markdown without its signs. */
function spoken(markdown: string): string {
  return markdown
    .slice(0, LONGEST)
    .replace(/^ {0,3}(?:#{1,6} |[`~]{3}.*$)/gm, "")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[*_`|]+/g, " ")
    .trim();
}
