import { memo, useId, useMemo, useRef } from "react";
import ReactMarkdown from "react-markdown";
import { useTexts } from "../../i18n/i18n";
import { classNames } from "../../ui/class-names";
import { belongsTogether, type Cut, cutBlocks, NOTHING_CUT } from "./blocks";
import { LazyBlock } from "./lazy-block";
import styles from "./markdown.module.css";
import { unifyMath } from "./math-marks";
import { closeOpenEnd } from "./open-end";
import { parts } from "./parts";
import { rehypePlugins, remarkPlugins } from "./pipeline";
import { useRested } from "./use-rested";

interface MarkdownProps {
  readonly text: string;
  /** More text is going to follow. */
  readonly growing?: boolean;
  readonly small?: boolean;
}

/** Texts longer than this are set block by block as they come near the screen. */
const LONG = 30_000;
/** A single block longer than this is shown as plain text. */
const TOO_LONG = 60_000;

/** Markdown that nobody has to trust: no HTML, no scripts, nothing loaded from elsewhere. */
export function Markdown({ text, growing = false, small = false }: MarkdownProps) {
  const clean = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  const { closed, open } = useCut(clean, !growing && clean.length < LONG && belongsTogether(clean));
  const blocks = open === null ? closed : [...closed, open];
  return (
    <div className={classNames(styles.markdown, small && styles.small)}>
      {blocks.map((block) =>
        clean.length > LONG ? (
          <LazyBlock key={block.at} text={block.text} eager={block === open}>
            <Block text={block.text} growing={growing && block === open} />
          </LazyBlock>
        ) : (
          <Block key={block.at} text={block.text} growing={growing && block === open} />
        ),
      )}
    </div>
  );
}

function useCut(text: string, whole: boolean): Cut {
  const before = useRef<Cut>(NOTHING_CUT);
  return useMemo(() => {
    if (whole) return { text, closed: [], open: { at: 0, text } };
    before.current = cutBlocks(text, before.current);
    return before.current;
  }, [text, whole]);
}

const Block = memo(function Block({ text, growing }: { text: string; growing: boolean }) {
  const texts = useTexts();
  const id = useId();
  const rested = useRested(text, growing ? text.length : 0);
  if (rested.length > TOO_LONG && !/^ {0,3}(?:`{3}|~{3})/.test(rested)) return <p className={styles.plain}>{rested}</p>;
  return (
    <ReactMarkdown
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      remarkRehypeOptions={{
        clobberPrefix: `note-${id}-`,
        footnoteLabel: texts.markdown.footnotes,
        footnoteBackLabel: () => texts.markdown.backToText,
      }}
      urlTransform={(url) => url}
      components={parts}
    >
      {unifyMath(growing ? closeOpenEnd(rested) : rested)}
    </ReactMarkdown>
  );
});
