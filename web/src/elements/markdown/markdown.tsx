import { useMemo, useRef } from "react";
import { classNames } from "../../ui/class-names";
import { Block } from "./block";
import { belongsTogether, type Cut, cutBlocks, isFull, NOTHING_CUT, type Section } from "./blocks";
import styles from "./markdown.module.css";
import { MarkdownSection } from "./section";

interface MarkdownProps {
  readonly text: string;
  /** More text is going to follow. */
  readonly growing?: boolean;
  readonly small?: boolean;
}

/** Of texts longer than this, what is far from the screen is set when it comes near. */
const LONG = 30_000;

/** Markdown that nobody has to trust: no HTML, no scripts, nothing loaded from elsewhere. */
export function Markdown({ text, growing = false, small = false }: MarkdownProps) {
  const clean = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  const whole = !growing && clean.length < LONG && belongsTogether(clean);
  const { sections, open } = useCut(clean);
  const shown = open !== null && isFull(sections.at(-1)) ? [...sections, empty(open.at)] : sections;
  return (
    <div className={classNames(styles.markdown, small && styles.small)}>
      {whole ? (
        <Block text={clean} />
      ) : (
        shown.map((section, index) => (
          <MarkdownSection
            key={section.at}
            section={section}
            open={index === shown.length - 1 ? open : null}
            growing={growing}
            lazy={clean.length > LONG}
          />
        ))
      )}
    </div>
  );
}

function useCut(text: string): Cut {
  const before = useRef<Cut>(NOTHING_CUT);
  return useMemo(() => {
    before.current = cutBlocks(text, before.current);
    return before.current;
  }, [text]);
}

/** For an open block that has no section yet: the same one, so far empty, in which it will be when it is over. */
function empty(at: number): Section {
  return { at, blocks: [], length: 0 };
}
