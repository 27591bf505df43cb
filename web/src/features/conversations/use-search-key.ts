import { useEffect } from "react";

/** Ctrl/⌘+K searches, wherever one is. */
export function useSearchKey(onSearch: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const held = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      if (!held || event.key.toLowerCase() !== "k" || document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      onSearch();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [onSearch]);
}
