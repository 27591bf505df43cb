const GAP = 6;
const MARGIN = 8;

/** Put a popover below its button if it fits there, else above it; never beyond the window's edge; and show it. */
export function place(popover: HTMLElement, anchor: HTMLElement): void {
  const at = anchor.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const below = at.bottom + GAP;
  const top = below + height + MARGIN <= window.innerHeight ? below : at.top - GAP - height;
  const left = Math.min(at.left, window.innerWidth - width - MARGIN);
  popover.style.top = `${Math.max(top, MARGIN)}px`;
  popover.style.left = `${Math.max(left, MARGIN)}px`;
  popover.style.opacity = "";
}
