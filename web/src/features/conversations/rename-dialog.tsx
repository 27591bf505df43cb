import { useState } from "react";
import { errorText } from "../../i18n/error-text";
import { useTexts } from "../../i18n/i18n";
import { Button } from "../../ui/button/button";
import { Dialog, DialogButtons } from "../../ui/dialog/dialog";
import { TextField } from "../../ui/text-field";
import { useRename } from "./api/rename";

interface RenameDialogProps {
  readonly id: string;
  readonly title: string;
  readonly onClose: () => void;
}

const LONGEST = 200;

export function RenameDialog({ id, title, onClose }: RenameDialogProps) {
  const texts = useTexts();
  const rename = useRename();
  const [value, setValue] = useState(title);
  return (
    <Dialog title={texts.sidebar.renameTitle} closeLabel={texts.app.close} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ id, title: value.trim() }, { onSuccess: onClose });
        }}
      >
        <TextField
          data-autofocus
          label={texts.sidebar.titleLabel}
          value={value}
          maxLength={LONGEST}
          error={rename.error === null ? null : errorText(texts, rename.error)}
          onChange={(event) => setValue(event.target.value)}
          onFocus={(event) => event.target.select()}
        />
        <DialogButtons>
          <Button onClick={onClose}>{texts.app.cancel}</Button>
          <Button type="submit" look="primary" disabled={rename.isPending}>
            {texts.app.save}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
