import { useEffect, useRef } from "react";

interface Keys {
  readonly onSearch: () => void;
  readonly onNew: () => void;
}

/** Ctrl/⌘+K searches, Ctrl/⌘+Shift+O begins a new conversation, wherever one is but in a dialog. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const held = (event.ctrlKey || event.metaKey) && !event.altKey && !event.isComposing;
      if (!held || document.querySelector("dialog[open]") !== null) return;
      const key = event.key.toLowerCase();
      if (key === "k" && !event.shiftKey) latest.current.onSearch();
      else if (key === "o" && event.shiftKey) latest.current.onNew();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}
