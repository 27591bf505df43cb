/** A conversation as the page holds it, and how it changes (pure). What did not change stays the same object. */

import type { RunState as ServedRun, WholeConversation } from "../protocol/api";
import type { LogEvent } from "../protocol/log-event";
import { FRESH_RUN, type Outcome, type RunState, type Turn } from "./conversation";
import { reduce } from "./reduce";

/** `missing`: there is no such conversation, or it is somebody else's. */
export type Load = "loading" | "ready" | "missing" | "failed";

export interface Thread {
  readonly id: string;
  readonly title: string;
  readonly load: Load;
  /** The keys of the turns, in order. */
  readonly order: readonly string[];
  readonly turns: ReadonlyMap<string, Turn>;
  /** The turn at work: the last one, or none. */
  readonly activeKey: string | null;
}

/** A conversation of which nothing is known yet. */
export function unknownThread(id: string): Thread {
  return { id, title: "", load: "loading", order: [], turns: new Map(), activeKey: null };
}

/** Take in what the service says of the conversation: its runs are the turns, but for a question that is on its way. */
export function merge(thread: Thread, whole: WholeConversation): Thread {
  const known = new Map([...thread.turns.values()].map((turn) => [turn.runId, turn]));
  const turns = whole.runs.map((run) => servedTurn(run, known.get(run.id)));
  const sending = [...thread.turns.values()].filter((turn) => turn.runId === null);
  return withTurns({ ...thread, title: whole.title, load: "ready" }, [...turns, ...sending]);
}

function servedTurn(run: ServedRun, before: Turn | undefined): Turn {
  const state = before !== undefined && before.state !== "running" ? before.state : run.status;
  if (before !== undefined) return state === before.state ? before : { ...before, state };
  return {
    key: run.id,
    runId: run.id,
    question: run.query,
    agent: run.agent,
    model: run.model,
    createdAt: Date.parse(run.created_at),
    state,
    following: "unread",
    ending: null,
    run: FRESH_RUN,
  };
}

/** Add a question that is on its way, in place of the turn that it replaces. */
export function ask(thread: Thread, turn: Turn, replaces: string | null): Thread {
  const kept = inOrder(thread).filter((other) => replaces === null || other.runId !== replaces);
  return withTurns(thread, [...kept, turn]);
}

/** The question on its way has become this run. */
export function asked(thread: Thread, key: string, runId: string): Thread {
  const kept = inOrder(thread).filter((turn) => turn.runId !== runId); // it may have been in the service's list already
  return withTurns(
    thread,
    kept.map((turn) => (turn.key === key ? { ...turn, runId } : turn)),
  );
}

/** The question could not be sent: everything is as it was before `ask`. */
export function unasked(thread: Thread, key: string, replaced: Turn | undefined): Thread {
  const kept = inOrder(thread).filter((turn) => turn.key !== key);
  const back = replaced !== undefined && !kept.some((turn) => turn.runId === replaced.runId);
  return withTurns(thread, back ? [...kept, replaced] : kept);
}

/** Change one turn; one that is not there (any more) stays so. */
export function change(thread: Thread, key: string, changes: Partial<Turn>): Thread {
  const turn = thread.turns.get(key);
  if (turn === undefined) return thread;
  const turns = new Map(thread.turns).set(key, { ...turn, ...changes });
  return { ...thread, turns, activeKey: active(thread.order, turns) };
}

/** Take in events of a turn's run. */
export function take(thread: Thread, key: string, events: readonly LogEvent[]): Thread {
  const turn = thread.turns.get(key);
  if (turn === undefined) return thread;
  const run = events.reduce(reduce, turn.run);
  if (run.outcome === null) return change(thread, key, { run, following: "live" });
  return change(thread, key, { run, following: "read", state: STATE[run.outcome.stopReason], ending: null });
}

const STATE: Record<Outcome["stopReason"], RunState> = {
  answer: "finished",
  max_iterations: "finished",
  max_tokens: "finished",
  max_cost: "finished",
  max_time: "finished",
  max_calls: "finished",
  stopped: "finished",
  error: "failed",
  cancelled: "cancelled",
  interrupted: "interrupted",
};

function inOrder(thread: Thread): Turn[] {
  return thread.order.flatMap((key) => thread.turns.get(key) ?? []);
}

function withTurns(thread: Thread, turns: readonly Turn[]): Thread {
  const order = turns.map((turn) => turn.key);
  const same = order.length === thread.order.length && order.every((key, index) => key === thread.order[index]);
  const byKey = new Map(turns.map((turn) => [turn.key, turn]));
  const kept = same ? thread.order : order;
  return { ...thread, order: kept, turns: byKey, activeKey: active(kept, byKey) };
}

function active(order: readonly string[], turns: ReadonlyMap<string, Turn>): string | null {
  const last = turns.get(order.at(-1) ?? "");
  return last?.state === "running" ? last.key : null;
}
