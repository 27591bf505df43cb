import { type KeyboardEvent, type ReactNode, type Ref, useEffect, useState } from "react";
import type { Interrupt } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import type { Texts } from "../../i18n/texts";
import { Button, IconButton } from "../../ui/button/button";
import { TextArea } from "../../ui/text-area/text-area";
import { Queued } from "../interrupt/queued";
import styles from "./composer.module.css";

/** What can be done with the run at work. */
export interface RunControls {
  /** What the person asked for and has not come about yet. */
  readonly ending: "stop" | "cancel" | null;
  /** What was said to it and is not read yet. */
  readonly queued: readonly Interrupt[];
  readonly onStop: () => void;
  readonly onCancel: () => void;
  readonly onEditQueued: (id: string, content: string) => void;
  readonly onTakeBack: (id: string) => void;
}

interface ComposerProps {
  readonly id: string;
  readonly ref?: Ref<HTMLTextAreaElement>;
  /** Sends a text; resolves to whether it was sent. What was not comes back into the field. */
  readonly onSend: (text: string) => Promise<boolean>;
  /** Null while no run is at work. */
  readonly run?: RunControls | null;
  /** Asked for by the arrow key up in an empty field. */
  readonly onEditLast?: (() => void) | undefined;
  /** What was begun here before, and is told of each change. */
  readonly draft?: { readonly text: string; readonly keep: (text: string) => void };
  /** What stands beside the buttons, such as a choice of models. */
  readonly options?: ReactNode;
}

const LONGEST = 300_000;

/** Where one writes: a question, or while the agent works something for it to take into account. */
export function Composer({ id, ref, onSend, run = null, onEditLast, draft, options }: ComposerProps) {
  const texts = useTexts();
  const [text, setText] = useState(draft?.text ?? "");
  const tooLong = text.length > LONGEST;
  const sendable = text.trim() !== "" && !tooLong;
  const hint = run === null ? texts.composer.hint : hintOf(texts, run.ending);

  const keep = draft?.keep;
  useEffect(() => keep?.(text), [keep, text]);

  const send = async () => {
    if (!sendable) return;
    setText("");
    if (!(await onSend(text.trim()))) setText((now) => (now === "" ? text : `${text}\n\n${now}`));
  };

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Safari ends the composition before the key that ended it, which 229 tells.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      void send();
    } else if (event.key === "ArrowUp" && text === "" && onEditLast !== undefined) {
      event.preventDefault();
      onEditLast();
    }
  };

  return (
    <div className={styles.composer} data-running={run !== null}>
      {run !== null && <Queued items={run.queued} onEdit={run.onEditQueued} onTakeBack={run.onTakeBack} />}
      <div className={styles.field}>
        <TextArea
          id={id}
          {...(ref !== undefined && { ref })}
          aria-label={texts.composer.label}
          aria-describedby={`${id}-hint`}
          aria-invalid={tooLong}
          enterKeyHint="send"
          placeholder={run === null ? texts.composer.placeholder : texts.composer.placeholderRunning}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className={styles.bar}>
        <div className={styles.options}>{options}</div>
        <p
          id={`${id}-hint`}
          className={styles.hint}
          data-wrong={tooLong}
          data-shown={tooLong || run?.ending === "stop"}
        >
          {tooLong ? texts.composer.tooLong(LONGEST) : hint}
        </p>
        {run !== null && <EndButtons run={run} />}
        {(run === null || text !== "") && (
          <IconButton
            look="primary"
            icon="arrow-up"
            className={styles.send}
            label={run === null ? texts.composer.send : texts.composer.sendInterrupt}
            disabled={!sendable}
            onClick={() => void send()}
          />
        )}
      </div>
    </div>
  );
}

function hintOf(texts: Texts, ending: RunControls["ending"]): string {
  if (ending === null) return texts.composer.hintRunning;
  return ending === "stop" ? texts.composer.stopping : texts.composer.cancelling;
}

function EndButtons({ run: { ending, onStop, onCancel } }: { run: RunControls }) {
  const texts = useTexts();
  return (
    <>
      <Button small look="quiet" title={texts.composer.cancel} disabled={ending === "cancel"} onClick={onCancel}>
        {texts.composer.cancelShort}
      </Button>
      <IconButton
        look="secondary"
        icon="stop"
        className={styles.stop}
        label={ending === null ? texts.composer.stop : texts.composer.stopping}
        disabled={ending !== null}
        onClick={onStop}
      />
    </>
  );
}
