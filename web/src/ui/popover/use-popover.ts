import { type RefObject, type ToggleEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { place } from "./place";

interface Popover {
  readonly open: boolean;
  readonly anchor: RefObject<HTMLSpanElement | null>;
  /** For the button that opens it. */
  readonly trigger: { readonly popoverTarget: string; readonly "aria-expanded": boolean };
  /** For the popover itself. */
  readonly popover: {
    readonly ref: RefObject<HTMLDivElement | null>;
    readonly id: string;
    readonly popover: "auto";
    readonly onBeforeToggle: (event: ToggleEvent<HTMLDivElement>) => void;
    readonly onToggle: (event: ToggleEvent<HTMLDivElement>) => void;
  };
}

/**
 * A popover at a button. Its content is there from the moment it opens, so that the browser can give the focus to what
 * `first` finds in it at once: who types ahead must not miss it.
 */
export function usePopover(first?: (popover: HTMLElement) => HTMLElement | undefined): Popover {
  const id = useId();
  const ref = useRef<HTMLDivElement>(null);
  const anchor = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const [placed, setPlaced] = useState(false);

  useLayoutEffect(() => {
    if (placed && ref.current !== null && anchor.current !== null) place(ref.current, anchor.current);
  }, [placed]);

  const onBeforeToggle = ({ newState, currentTarget, target }: ToggleEvent<HTMLDivElement>) => {
    if (target !== currentTarget || newState !== "open") return;
    flushSync(() => setOpen(true));
    currentTarget.style.opacity = "0"; // until it is where it belongs
    first?.(currentTarget)?.setAttribute("autofocus", "");
  };
  const onToggle = ({ newState, currentTarget, target }: ToggleEvent<HTMLDivElement>) => {
    if (target !== currentTarget) return;
    setOpen(newState === "open");
    setPlaced(newState === "open");
  };

  return {
    open,
    anchor,
    trigger: { popoverTarget: id, "aria-expanded": open },
    popover: { ref, id, popover: "auto", onBeforeToggle, onToggle },
  };
}
