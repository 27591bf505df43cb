import { useMemo, useState } from "react";
import { useTexts } from "../../i18n/i18n";
import { Button } from "../../ui/button/button";
import { classNames } from "../../ui/class-names";
import { CopyText } from "../copy-text";
import { Highlighted } from "../markdown/highlighted";
import styles from "./call-text.module.css";

interface CallTextProps {
  readonly title: string;
  readonly text: string;
  readonly copyLabel: string;
  readonly look?: "plain" | "error";
}

const LINES_SHOWN = 12;
const CHARACTERS_SHOWN = 2000;
const COLOURED_UP_TO = 20_000;

/** Arguments, a result or an error: JSON is laid out and coloured, what is long is folded. */
export function CallText({ title, text, copyLabel, look = "plain" }: CallTextProps) {
  const texts = useTexts();
  const [unfolded, setUnfolded] = useState(false);
  const { laidOut, json, lines, head } = useMemo(() => layOut(text), [text]);
  const shown = unfolded ? laidOut : head;
  return (
    <div className={styles.section}>
      <header className={styles.header}>
        <span className={styles.title}>{title}</span>
        <CopyText text={() => text} label={copyLabel} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre className={classNames(styles.text, look === "error" && styles.error)} tabIndex={0}>
        {json && shown.length <= COLOURED_UP_TO ? <Highlighted code={shown} language="json" /> : shown}
        {shown !== laidOut && "\n…"}
      </pre>
      {head !== laidOut && (
        <Button small look="quiet" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
          {unfolded ? texts.tool.showLess : texts.tool.showAll(lines)}
        </Button>
      )}
    </div>
  );
}

interface LaidOut {
  readonly laidOut: string;
  readonly json: boolean;
  readonly lines: number;
  /** As much as is shown at first. */
  readonly head: string;
}

function layOut(text: string): LaidOut {
  const json = asJson(text);
  const laidOut = json ?? text;
  const lines = laidOut.split("\n");
  const head = lines.slice(0, LINES_SHOWN).join("\n").slice(0, CHARACTERS_SHOWN);
  return { laidOut, json: json !== null, lines: lines.length, head };
}

function asJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return null; // it only begins like JSON
  }
}
