import { errorText } from "../../i18n/error-text";
import { useTexts } from "../../i18n/i18n";
import { Button } from "../../ui/button/button";
import { Dialog, DialogButtons } from "../../ui/dialog/dialog";
import { Notice } from "../../ui/notice";
import { useToast } from "../../ui/toast/toaster";
import { useDelete } from "./api/delete";

interface DeleteDialogProps {
  readonly id: string;
  readonly title: string;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

export function DeleteDialog({ id, title, onDeleted, onClose }: DeleteDialogProps) {
  const texts = useTexts();
  const toast = useToast();
  const remove = useDelete();

  const deleted = () => {
    onClose();
    onDeleted();
    toast(texts.sidebar.deleted);
  };

  return (
    <Dialog title={texts.sidebar.deleteTitle} closeLabel={texts.app.close} onClose={onClose}>
      <p>{texts.sidebar.deleteHint(title)}</p>
      {remove.error !== null && <Notice look="danger" title={errorText(texts, remove.error)} />}
      <DialogButtons>
        <Button data-autofocus onClick={onClose}>
          {texts.app.cancel}
        </Button>
        <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate(id, { onSuccess: deleted })}>
          {texts.sidebar.delete}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
