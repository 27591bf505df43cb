import { useEffect, useRef } from "react";

interface Shortcuts {
  readonly onSearch: () => void;
  readonly onNew: () => void;
}

/** Ctrl/⌘+K searches, Ctrl/⌘+Shift+O begins a new conversation. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts);
  useEffect(() => {
    latest.current = shortcuts;
  });

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector("dialog[open]") !== null) return;
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
