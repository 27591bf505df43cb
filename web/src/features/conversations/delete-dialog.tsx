import { useLocation } from "wouter";
import { useTexts } from "../../i18n/i18n";
import { Button } from "../../ui/button/button";
import { Dialog, DialogButtons } from "../../ui/dialog/dialog";
import { Notice } from "../../ui/notice";
import { useToast } from "../../ui/toast/toaster";
import { useDelete } from "./api/delete";

interface DeleteDialogProps {
  readonly id: string;
  readonly title: string;
  /** It is the one that is open: afterwards there is none. */
  readonly current: boolean;
  readonly onClose: () => void;
}

export function DeleteDialog({ id, title, current, onClose }: DeleteDialogProps) {
  const texts = useTexts();
  const toast = useToast();
  const remove = useDelete();
  const [, navigate] = useLocation();

  const onDeleted = () => {
    onClose();
    if (current) navigate("/");
    toast(texts.sidebar.deleted);
  };

  return (
    <Dialog title={texts.sidebar.deleteTitle} closeLabel={texts.app.close} onClose={onClose}>
      <p>{texts.sidebar.deleteHint(title)}</p>
      {remove.error !== null && <Notice look="danger" title={remove.error.message} />}
      <DialogButtons>
        <Button data-autofocus onClick={onClose}>
          {texts.app.cancel}
        </Button>
        <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate(id, { onSuccess: onDeleted })}>
          {texts.sidebar.delete}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
