import { type ReactNode, useId, useLayoutEffect, useRef, useState } from "react";
import { place } from "./place";
import styles from "./popover.module.css";

interface PopoverTrigger {
  readonly popoverTarget: string;
  readonly "aria-haspopup": "dialog";
  readonly "aria-expanded": boolean;
}

interface PopoverProps {
  readonly label: string;
  /** Renders the button that opens it, with these properties on it. */
  readonly trigger: (props: PopoverTrigger) => ReactNode;
  readonly children: ReactNode;
}

/** A small sheet that opens at its button. */
export function Popover({ label, trigger, children }: PopoverProps) {
  const id = useId();
  const sheet = useRef<HTMLDivElement>(null);
  const anchor = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);

  useLayoutEffect(() => {
    if (open && sheet.current !== null && anchor.current !== null) place(sheet.current, anchor.current);
  }, [open]);

  return (
    <span ref={anchor} className={styles.anchor}>
      {trigger({ popoverTarget: id, "aria-haspopup": "dialog", "aria-expanded": open })}
      <div
        ref={sheet}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className={styles.popover}
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        {open && children}
      </div>
    </span>
  );
}
