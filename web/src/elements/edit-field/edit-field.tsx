import { useEffect, useRef, useState } from "react";
import { useTexts } from "../../i18n/i18n";
import { Button } from "../../ui/button/button";
import { TextArea } from "../../ui/text-area/text-area";
import styles from "./edit-field.module.css";

interface EditFieldProps {
  readonly label: string;
  readonly text: string;
  readonly saveLabel: string;
  readonly onSave: (text: string) => void;
  readonly onCancel: () => void;
}

/** Changes a text that was sent: Enter saves, Esc leaves it as it was. */
export function EditField({ label, text, saveLabel, onSave, onCancel }: EditFieldProps) {
  const texts = useTexts();
  const [value, setValue] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);

  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, [text]);

  const save = () => {
    if (value.trim() !== "") onSave(value.trim());
  };
  return (
    <div className={styles.field}>
      <TextArea
        aria-label={label}
        value={value}
        ref={field}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            save();
          } else if (event.key === "Escape") {
            event.stopPropagation();
            onCancel();
          }
        }}
      />
      <div className={styles.buttons}>
        <Button small look="quiet" onClick={onCancel}>
          {texts.app.cancel}
        </Button>
        <Button small look="primary" disabled={value.trim() === ""} onClick={save}>
          {saveLabel}
        </Button>
      </div>
    </div>
  );
}
