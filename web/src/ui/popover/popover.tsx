import type { ReactNode } from "react";
import styles from "./popover.module.css";
import { usePopover } from "./use-popover";

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
  const { open, anchor, trigger: opens, popover } = usePopover();
  return (
    <span ref={anchor} className={styles.anchor}>
      {trigger({ ...opens, "aria-haspopup": "dialog" })}
      <div {...popover} role="dialog" aria-label={label} className={styles.popover}>
        {open && children}
      </div>
    </span>
  );
}
