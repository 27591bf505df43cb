/** How the things that happened in a run change (pure). What did not change stays the same object. */

import type { InjectData, ThinkingDoneData, ThinkingStartData, ToolDoneData, ToolStartData } from "../protocol/events";
import type { Interrupt, Item, Thought, ToolCall, ToolCalls } from "./conversation";

type Items = readonly Item[];

/** The model is asked. */
export function beginThought(items: Items, data: ThinkingStartData, key: string): Items {
  return [...items, { kind: "thought", key, iteration: data.iteration, thinking: true, reasoning: "" }];
}

/** The model's reply was read. */
export function endThought(items: Items, data: ThinkingDoneData, key: string): Items {
  const { iteration, reasoning } = data;
  const index = items.findLastIndex((item) => item.kind === "thought" && item.iteration === iteration && item.thinking);
  const begun = items[index];
  const thought: Thought = { kind: "thought", key: begun?.key ?? key, iteration, thinking: false, reasoning };
  return begun === undefined ? [...items, thought] : items.with(index, thought);
}

/** A tool starts. It joins the other calls of its iteration. */
export function beginCall(items: Items, data: ToolStartData, key: string, at: number): Items {
  const call: ToolCall = {
    callId: data.call_id,
    name: data.tool_name,
    args: data.tool_args,
    state: "running",
    startedAt: at,
    elapsed: null,
    observation: "",
    error: null,
    artifacts: [],
  };
  return putCall(items, data.iteration, call, key);
}

/** A tool call ended. */
export function endCall(items: Items, data: ToolDoneData, key: string, at: number): Items {
  const group = items.findLast(isGroupOf(data.iteration));
  const begun = group?.calls.find((call) => call.callId === data.call_id);
  const call: ToolCall = {
    callId: data.call_id,
    name: data.tool_name,
    args: begun?.args ?? {},
    state: data.error === null ? "done" : "failed",
    startedAt: begun?.startedAt ?? at,
    elapsed: data.iter_elapsed,
    observation: data.observation,
    error: data.error,
    artifacts: data.artifacts,
  };
  return putCall(items, data.iteration, call, key);
}

function putCall(items: Items, iteration: number, call: ToolCall, key: string): Items {
  const index = items.findLastIndex(isGroupOf(iteration));
  const group = items[index];
  if (group?.kind !== "tool-calls") return [...items, { kind: "tool-calls", key, iteration, calls: [call] }];
  const place = group.calls.findIndex((other) => other.callId === call.callId);
  const calls = place < 0 ? [...group.calls, call] : group.calls.with(place, call);
  return items.with(index, { ...group, calls });
}

function isGroupOf(iteration: number): (item: Item) => item is ToolCalls {
  return (item): item is ToolCalls => item.kind === "tool-calls" && item.iteration === iteration;
}

/** A message to the agent was queued, or something became of it. It moves to where it was delivered. */
export function takeReceipt(items: Items, data: InjectData): Items {
  const index = items.findIndex((item) => item.kind === "interrupt" && item.id === data.id);
  const before = items[index];
  const interrupt: Interrupt = {
    kind: "interrupt",
    key: `interrupt-${data.id}`,
    id: data.id,
    content: data.content,
    state: data.status,
    iteration: data.iteration ?? (before?.kind === "interrupt" ? before.iteration : null),
  };
  if (before === undefined) return [...items, interrupt];
  return data.status === "delivered" ? [...items.toSpliced(index, 1), interrupt] : items.with(index, interrupt);
}

/** The run is over: no thought goes on, no tool runs, and what was not read comes back. */
export function closeAll(items: Items): Items {
  return items.map((item): Item => {
    switch (item.kind) {
      case "thought":
        return item.thinking ? { ...item, thinking: false } : item;
      case "tool-calls":
        return item.calls.some((call) => call.state === "running") ? { ...item, calls: item.calls.map(cutOff) } : item;
      case "interrupt":
        return item.state === "queued" ? { ...item, state: "returned" } : item;
      case "demotion":
      case "divider":
      case "trouble":
        return item;
      default:
        return item satisfies never;
    }
  });
}

function cutOff(call: ToolCall): ToolCall {
  return call.state === "running" ? { ...call, state: "cut-off" } : call;
}
