import { useCallback, useEffect, useRef } from "react";
import { Virtualizer } from "virtua";
import type { Turn } from "../../conversation/conversation";
import { useActiveTurn, useTurnKeys } from "../../conversation/use-conversation";
import { useTexts } from "../../i18n/i18n";
import { Button } from "../../ui/button/button";
import styles from "./turn-list.module.css";
import { TurnView } from "./turn-view";
import { useStickToEnd } from "./use-stick-to-end";

interface TurnListProps {
  readonly editing: boolean;
  readonly setEditing: (editing: boolean) => void;
  readonly onAskAgain: (turn: Turn, question: string) => void;
}

const TURN_HEIGHT = 320;

/** All turns; of many only those near the screen are there. */
export function TurnList({ editing, setEditing, onAskAgain }: TurnListProps) {
  const texts = useTexts();
  const keys = useTurnKeys();
  const working = useActiveTurn() !== null;
  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { atEnd, toEnd } = useStickToEnd(scroller, content);
  const lastKey = keys.at(-1);

  // Whoever asks something wants to see what comes of it.
  useEffect(() => {
    if (lastKey !== undefined) toEnd();
  }, [lastKey, toEnd]);

  const turn = useCallback(
    (key: string) => {
      const last = key === lastKey;
      return (
        <TurnView
          key={key}
          turnKey={key}
          {...(last && !working && { editing: { open: editing, setOpen: setEditing }, onAskAgain })}
        />
      );
    },
    [lastKey, working, editing, setEditing, onAskAgain],
  );

  return (
    <div className={styles.place}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section ref={scroller} className={styles.scroller} aria-label={texts.chat.label} tabIndex={0}>
        <div ref={content} className={styles.content}>
          <Virtualizer
            data={keys}
            scrollRef={scroller}
            itemSize={TURN_HEIGHT}
            bufferSize={800}
            keepMounted={keys.length > 0 ? [keys.length - 1] : []}
          >
            {turn}
          </Virtualizer>
        </div>
      </section>
      {!atEnd && (
        <Button className={styles.jump} icon="arrow-down" onClick={toEnd}>
          {texts.chat.jump}
        </Button>
      )}
    </div>
  );
}
