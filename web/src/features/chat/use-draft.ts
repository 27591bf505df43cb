import { useCallback, useState } from "react";

interface Draft {
  readonly text: string;
  readonly keep: (text: string) => void;
}

/** What was begun in a conversation's message field and not sent: it outlives a reload of this tab. */
export function useDraft(conversationId: string | null): Draft {
  const name = `actloop.draft.${conversationId ?? "new"}`;
  const [text] = useState(() => read(name));
  const keep = useCallback((now: string) => write(name, now), [name]);
  return { text, keep };
}

function read(name: string): string {
  try {
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return ""; // storage may be forbidden
  }
}

function write(name: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // storage may be forbidden or full; the draft then ends with the page
  }
}
