import { useTexts } from "../i18n/i18n";
import { CopyButton } from "../ui/copy-button";
import { useToast } from "../ui/toast/toaster";

interface CopyTextProps {
  /** Asked for the text only when it is wanted. */
  readonly text: () => string;
  /** What is copied, in words. */
  readonly label?: string;
}

/** Copies a text, and says when the browser does not allow it. */
export function CopyText({ text, label }: CopyTextProps) {
  const { app } = useTexts();
  const toast = useToast();
  return (
    <CopyButton
      text={text}
      label={label ?? app.copy}
      copiedLabel={app.copied}
      onFailed={() => toast(app.copyFailed, "error")}
    />
  );
}
