import { useCallback, useMemo, useState } from "react";
import { useModels } from "./api/models";

const KEPT_AS = "actloop.choice";

/** The model and agent for the next question; null leaves it to the service. */
export interface Choice {
  readonly model: string | null;
  readonly agent: string | null;
}

const NONE: Choice = { model: null, agent: null };

/** The person's choice, kept in this browser. What was chosen another time and is not there any more does not count. */
export function useChoice(): readonly [Choice, (choice: Choice) => void] {
  const [chosen, setChosen] = useState(kept);
  const { data } = useModels();
  const choose = useCallback((choice: Choice) => {
    setChosen(choice);
    try {
      localStorage.setItem(KEPT_AS, JSON.stringify(choice));
    } catch {
      // storage may be forbidden; the choice then lasts as long as the page
    }
  }, []);
  const choice = useMemo(
    () => ({ model: known(chosen.model, data?.models), agent: known(chosen.agent, data?.agents) }),
    [chosen, data],
  );
  return [choice, choose];
}

function known(name: string | null, all: readonly string[] | undefined): string | null {
  return name === null || all?.includes(name) === false ? null : name;
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
