import { useEffect, useState } from "react";
import { IconButton } from "./button/button";

interface CopyButtonProps {
  /** Asked for the text only when it is wanted. */
  readonly text: () => string;
  readonly label: string;
  readonly copiedLabel: string;
  readonly onFailed: () => void;
}

const SHOWN_FOR = 1600;

/** Copies a text, and says for a moment that it did. */
export function CopyButton({ text, label, copiedLabel, onFailed }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);

  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [copied]);

  return (
    <IconButton
      small
      icon={copied ? "check" : "copy"}
      label={copied ? copiedLabel : label}
      onClick={() => {
        navigator.clipboard.writeText(text()).then(() => setCopied(true), onFailed);
      }}
    />
  );
}
