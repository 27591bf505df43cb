import { memo, useState } from "react";
import { useTexts } from "../../i18n/i18n";
import { IconButton } from "../../ui/button/button";
import { classNames } from "../../ui/class-names";
import { CopyText } from "../copy-text";
import styles from "./code-block.module.css";
import { Highlighted } from "./highlighted";

interface CodeBlockProps {
  readonly code: string;
  readonly language?: string | null;
}

/** Longer code is shown without colours, in pieces, so that the page stays quick. */
const COLOURED_UP_TO = 40_000;
const LINES_A_PIECE = 100;

export function CodeBlock({ code, language = null }: CodeBlockProps) {
  const texts = useTexts();
  const [wrapped, setWrapped] = useState(false);
  return (
    <figure className={styles.block} aria-label={language ?? texts.markdown.code}>
      <figcaption className={styles.bar}>
        <span className={styles.language}>{language ?? ""}</span>
        <IconButton
          small
          icon="wrap"
          label={texts.markdown.wrap}
          aria-pressed={wrapped}
          onClick={() => setWrapped(!wrapped)}
        />
        <CopyText text={() => code} label={texts.markdown.copyCode} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={classNames(styles.code, wrapped && styles.wrapped)} tabIndex={0}>
        <code>
          {language !== null && code.length <= COLOURED_UP_TO ? (
            <Highlighted code={code} language={language} />
          ) : (
            pieces(code).map((piece, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a piece has no other name than its place
              <Piece key={index} text={piece} />
            ))
          )}
        </code>
      </pre>
    </figure>
  );
}

const Piece = memo(function Piece({ text }: { text: string }) {
  return <span className={styles.piece}>{text}</span>;
});

function pieces(code: string): readonly string[] {
  const lines = code.split("\n");
  if (lines.length <= LINES_A_PIECE) return [code];
  const all: string[] = [];
  for (let at = 0; at < lines.length; at += LINES_A_PIECE) all.push(lines.slice(at, at + LINES_A_PIECE).join("\n"));
  return all;
}
