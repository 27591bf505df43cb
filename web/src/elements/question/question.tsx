import { memo, useState } from "react";
import { useTexts } from "../../i18n/i18n";
import { Button, IconButton } from "../../ui/button/button";
import { CopyText } from "../copy-text";
import { EditField } from "../edit-field/edit-field";
import styles from "./question.module.css";

interface QuestionProps {
  readonly text: string;
  /** Whether it is being edited, and what asks for that; missing where the question cannot be asked again. */
  readonly editing?: { readonly open: boolean; readonly setOpen: (open: boolean) => void } | undefined;
  readonly onAskAgain?: ((text: string) => void) | undefined;
}

const LINES_SHOWN = 14;
const CHARACTERS_SHOWN = 1400;

/** What the person asked. */
export const Question = memo(function Question({ text, editing, onAskAgain }: QuestionProps) {
  const texts = useTexts();
  const [unfolded, setUnfolded] = useState(false);
  const head = text.split("\n").slice(0, LINES_SHOWN).join("\n").slice(0, CHARACTERS_SHOWN);
  const long = head.length < text.length;

  if (editing?.open && onAskAgain !== undefined) {
    return (
      <div role="group" aria-label={texts.question.label}>
        <EditField
          label={texts.question.editLabel}
          text={text}
          saveLabel={texts.question.sendAgain}
          onCancel={() => editing.setOpen(false)}
          onSave={(changed) => {
            editing.setOpen(false);
            onAskAgain(changed);
          }}
        />
      </div>
    );
  }
  return (
    <div role="group" className={styles.question} aria-label={texts.question.label}>
      <div className={styles.bubble}>
        <p>{long && !unfolded ? `${head}…` : text}</p>
        {long && (
          <Button small look="quiet" aria-expanded={unfolded} onClick={() => setUnfolded(!unfolded)}>
            {unfolded ? texts.question.showLess : texts.question.showAll}
          </Button>
        )}
      </div>
      <div className={styles.actions}>
        <CopyText text={() => text} />
        {editing !== undefined && (
          <IconButton small icon="pencil" label={texts.question.edit} onClick={() => editing.setOpen(true)} />
        )}
      </div>
    </div>
  );
});
