import { useLayoutEffect, useRef, useState } from "react";
import type { Thought as ThoughtItem } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import { Button } from "../../ui/button/button";
import { Markdown } from "../markdown/markdown";
import { Status } from "../status/status";
import styles from "./thought.module.css";

/** What the model thought; a long thought is folded after some lines. */
export function Thought({ thought }: { thought: ThoughtItem }) {
  const texts = useTexts();
  const [unfolded, setUnfolded] = useState(false);
  const [long, setLong] = useState(false);
  const place = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    if (place.current !== null) setLong(place.current.scrollHeight > place.current.clientHeight + 4);
  }, [thought.reasoning]);

  if (thought.thinking && thought.reasoning === "") return <Status text={texts.thought.thinking} />;
  return (
    <div role="group" className={styles.thought} aria-label={texts.thought.thought}>
      <div ref={place} className={styles.text} data-folded={!unfolded} data-long={long && !unfolded}>
        <Markdown small text={thought.reasoning} growing={thought.thinking} />
      </div>
      {long && (
        <Button
          small
          look="quiet"
          aria-expanded={unfolded}
          className={styles.more}
          onClick={() => setUnfolded(!unfolded)}
        >
          {unfolded ? texts.thought.showLess : texts.thought.showAll}
        </Button>
      )}
    </div>
  );
}
