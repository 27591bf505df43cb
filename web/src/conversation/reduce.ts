/**
 * What an event makes of a run (pure).
 *
 * Total: every event in every order gives a run, an event that was taken in already changes nothing, and once `done`
 * has come nothing is left open. A piece of the answer costs the same however long the run is.
 */

import type { AnswerData, DoneData, PhaseData, StepData } from "../protocol/events";
import type { LogEvent } from "../protocol/log-event";
import { type Answer, FRESH_RUN, type Item, type Run } from "./conversation";
import { beginCall, beginThought, closeAll, endCall, endThought, takeReceipt } from "./items";

/** Return `run` with `event` taken in. */
export function reduce(run: Run, event: LogEvent): Run {
  if (event.event === "reset") return FRESH_RUN;
  if (event.id !== null && event.id <= run.lastEvent) return run;
  const lastEvent = event.id ?? run.lastEvent;
  if (run.activity === "ended") return { ...run, lastEvent };
  return { ...run, ...changes(run, event), lastEvent };
}

function changes(run: Run, event: Exclude<LogEvent, { event: "reset" }>): Partial<Run> {
  const key = `${event.event}-${event.id ?? `x${run.items.length}`}`;
  switch (event.event) {
    case "phase":
      return phase(run, event.data, key);
    case "step":
      return step(run, event.data, key, event.at);
    case "answer":
      return answer(run.answer, event.data);
    case "compact": {
      const { original_messages: originalMessages, kept_messages: keptMessages } = event.data;
      return add(run, { kind: "divider", key, originalMessages, keptMessages });
    }
    case "inject":
      return { items: takeReceipt(run.items, event.data) };
    case "error":
      return add(run, { kind: "trouble", key, message: event.data.message, recoverable: event.data.recoverable });
    case "done":
      return end(run, event.data);
    case "unknown":
      return {};
    default:
      return event satisfies never;
  }
}

function phase(run: Run, data: PhaseData, key: string): Partial<Run> {
  if (data.phase === "demoted") return add(run, { kind: "demotion", key, reason: data.reason ?? "" });
  return { activity: "phase", phase: { name: data.phase, totalTools: data.total_tools ?? null } };
}

function step(run: Run, data: StepData, key: string, at: number): Partial<Run> {
  switch (data.type) {
    case "thinking":
      return data.status === "start"
        ? { activity: "thinking", phase: null, items: beginThought(run.items, data, key) }
        : { phase: null, items: endThought(run.items, data, key) };
    case "iteration":
      return data.status === "start"
        ? { activity: "acting", phase: null, items: beginCall(run.items, data, key, at) }
        : { activity: "acting", phase: null, items: endCall(run.items, data, key, at) };
    case "answer":
      return { activity: "answering", phase: null };
    default:
      data satisfies never;
      return {}; // a kind of step that a newer service has
  }
}

function answer(before: Answer, data: AnswerData): Partial<Run> {
  const answering = { activity: "answering", phase: null } as const;
  switch (data.status) {
    case "start":
      return { ...answering, answer: { ...before, state: "streaming", text: "" } };
    case "delta":
      return { ...answering, answer: { ...before, state: "streaming", text: before.text + data.content } };
    case "restart":
      return { ...answering, answer: { state: "streaming", text: "", attempt: data.attempt } };
    case "done":
      return { ...answering, answer: { ...before, state: "complete" } };
    default:
      data satisfies never;
      return {};
  }
}

function end(run: Run, data: DoneData): Partial<Run> {
  return {
    activity: "ended",
    phase: null,
    items: closeAll(run.items),
    answer: lastAnswer(run.answer, data),
    outcome: {
      stopReason: data.stop_reason,
      iterations: data.iterations,
      usage: data.usage,
      elapsed: data.elapsed,
      cost: data.cost,
    },
  };
}

const UNFINISHED: ReadonlySet<DoneData["stop_reason"]> = new Set(["error", "cancelled", "interrupted"]);

/** The text of `done` is the whole one: it heals what the pieces did not say. */
function lastAnswer(before: Answer, data: DoneData): Answer {
  const text = data.answer || before.text;
  if (text === "") return { ...before, state: "none", text };
  const whole = before.state === "complete" || !UNFINISHED.has(data.stop_reason);
  return { ...before, state: whole ? "complete" : "partial", text };
}

function add(run: Run, item: Item): Partial<Run> {
  return { items: [...run.items, item] };
}
