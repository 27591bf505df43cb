import { useCallback, useState } from "react";

const KEPT_AS = "actloop.choice";

/** The model and agent for the next question; null leaves it to the service. */
export interface Choice {
  readonly model: string | null;
  readonly agent: string | null;
}

const NONE: Choice = { model: null, agent: null };

/** The person's choice, kept in this browser. */
export function useChoice(): readonly [Choice, (choice: Choice) => void] {
  const [choice, setChoice] = useState(kept);
  const choose = useCallback((chosen: Choice) => {
    setChoice(chosen);
    try {
      localStorage.setItem(KEPT_AS, JSON.stringify(chosen));
    } catch {
      // storage may be forbidden; the choice then lasts as long as the page
    }
  }, []);
  return [choice, choose];
}

function kept(): Choice {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(KEPT_AS) ?? "null");
    if (typeof read !== "object" || read === null) return NONE;
    return { model: name(Reflect.get(read, "model")), agent: name(Reflect.get(read, "agent")) };
  } catch {
    return NONE;
  }
}

function name(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
