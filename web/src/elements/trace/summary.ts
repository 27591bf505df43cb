import type { Item, Run } from "../../conversation/conversation";

/** What a run did, in numbers. */
export interface TraceSummary {
  readonly steps: number;
  readonly toolCalls: number;
  readonly failedCalls: number;
}

export function summaryOf(run: Run): TraceSummary {
  let steps = 0;
  let toolCalls = 0;
  let failedCalls = 0;
  for (const item of run.items) {
    if (item.kind === "thought" || item.kind === "tool-calls") steps = Math.max(steps, item.iteration);
    if (item.kind !== "tool-calls") continue;
    toolCalls += item.calls.length;
    failedCalls += item.calls.filter((call) => call.state === "failed").length;
  }
  return { steps: run.outcome?.iterations ?? steps, toolCalls, failedCalls };
}

/** What stays in sight when the rest is folded: what the person said, what went wrong, where context was summarised. */
export function staysInSight(item: Item): boolean {
  switch (item.kind) {
    case "interrupt":
    case "divider":
      return true;
    case "trouble":
      return !item.recoverable;
    case "thought":
    case "tool-calls":
    case "demotion":
      return false;
  }
}

/** Whether there is anything of it to see. What waits to be read is shown at the message field. */
export function isShown(item: Item): boolean {
  if (item.kind === "thought") return item.thinking || item.reasoning.trim() !== "";
  return item.kind !== "interrupt" || item.state !== "queued";
}
