import { type RefObject, useEffect } from "react";

/** Focus the field when it appears, unless that would bring up a keyboard on the screen. */
export function useFocusOnDesk(field: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (matchMedia("(hover: hover) and (pointer: fine)").matches) field.current?.focus();
  }, [field]);
}
