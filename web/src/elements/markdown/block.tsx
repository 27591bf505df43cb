import { memo, useId } from "react";
import ReactMarkdown from "react-markdown";
import { useTexts } from "../../i18n/i18n";
import styles from "./markdown.module.css";
import { unifyMath } from "./math-marks";
import { closeOpenEnd } from "./open-end";
import { parts } from "./parts";
import { rehypePlugins, remarkPlugins } from "./pipeline";
import { useRested } from "./use-rested";

/** A piece of markdown that stands by itself. */
export const Block = memo(function Block({ text, growing = false }: { text: string; growing?: boolean }) {
  const rested = useRested(text, growing);
  return <Rendered text={growing ? closeOpenEnd(rested) : rested} />;
});

/** A single block longer than this is shown as plain text, unless it is code. */
const TOO_LONG = 60_000;

const Rendered = memo(function Rendered({ text }: { text: string }) {
  const texts = useTexts();
  const id = useId();
  if (text.length > TOO_LONG && !/^ {0,3}(?:`{3}|~{3})/.test(text)) return <p className={styles.plain}>{text}</p>;
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
      {unifyMath(text)}
    </ReactMarkdown>
  );
});
