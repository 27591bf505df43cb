/** Popovers, which happy-dom does not know: a button opens what it names, and it closes again. */

import { fireEvent } from "@testing-library/react";

/** Make them work until the test file ends. */
export function installPopovers(): void {
  HTMLElement.prototype.hidePopover = function hidePopover(this: HTMLElement) {
    toggle(this, "closed");
  };
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    const name = event.target.closest("[popovertarget]")?.getAttribute("popovertarget");
    const popover = name == null ? null : document.getElementById(name);
    if (popover !== null) toggle(popover, "open");
  });
}

function toggle(popover: HTMLElement, newState: "open" | "closed"): void {
  fireEvent(popover, Object.assign(new Event("beforetoggle"), { newState }));
  popover.querySelector<HTMLElement>("[autofocus]")?.focus();
  fireEvent(popover, Object.assign(new Event("toggle"), { newState }));
}
