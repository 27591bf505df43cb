/**
 * What the page knows of a conversation: its turns, each a run, each run what its events have told so far.
 *
 * Everything is read-only and plain: `reduce.ts` makes the next value from an event, components only look.
 */

import type { ArtifactData, DoneData, UsageData } from "../protocol/events";

/** How a run stands, as the service tells it. */
export type RunState = "running" | "finished" | "failed" | "cancelled" | "interrupted";

/**
 * How much of a run's events is here. `unread`: not asked for yet; `reading`: what happened so far is on its way;
 * `live`: it is at work and told as it happens; `lost`: the connection broke, and is sought again; `read`: all of it;
 * `failed`: the service does not give it.
 */
export type Following = "unread" | "reading" | "live" | "lost" | "read" | "failed";

/** One question and the run that answers it. */
export interface Turn {
  /** Stays the same from the moment the question was sent, when its run has no id yet. */
  readonly key: string;
  /** Null while the question is on its way to the service. */
  readonly runId: string | null;
  readonly question: string;
  readonly agent: string | null;
  readonly model: string | null;
  /** When it began, in milliseconds since 1970. */
  readonly createdAt: number;
  /** `running` until its end was heard of, from the service's list or from its events. */
  readonly state: RunState;
  readonly following: Following;
  /** What the person asked for and has not come about yet. */
  readonly ending: "stop" | "cancel" | null;
  readonly run: Run;
}

/** What a run is at. `waiting`: no event yet; `ended`: `done` has come. */
export type Activity = "waiting" | "phase" | "thinking" | "acting" | "answering" | "ended";

/** The reduction of a run's events. */
export interface Run {
  readonly activity: Activity;
  /** The number of the last event taken in; 0 before the first. */
  readonly lastEvent: number;
  /** The phase that runs now (`selecting_tools`, `planning`, …), null when none does. */
  readonly phase: Phase | null;
  /** What happened, in order. */
  readonly items: readonly Item[];
  readonly answer: Answer;
  readonly outcome: Outcome | null;
}

export interface Phase {
  readonly name: string;
  readonly totalTools: number | null;
}

/** One thing that happened in a run. `key` is unique in the run and stays the same while the item changes. */
export type Item = Thought | ToolCalls | Demotion | Divider | Interrupt | Trouble;

/** The model was asked. A thought that is over and says nothing is not shown. */
export interface Thought {
  readonly kind: "thought";
  readonly key: string;
  readonly iteration: number;
  readonly thinking: boolean;
  readonly reasoning: string;
}

/** The tool calls of one iteration: they run side by side. */
export interface ToolCalls {
  readonly kind: "tool-calls";
  readonly key: string;
  readonly iteration: number;
  readonly calls: readonly ToolCall[];
}

/** `cut-off`: the run ended before the call did. */
export type ToolCallState = "running" | "done" | "failed" | "cut-off";

export interface ToolCall {
  readonly callId: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly state: ToolCallState;
  /** When it started, in milliseconds since 1970 by the clock here: for the live timer. */
  readonly startedAt: number;
  /** In seconds, null while it runs. */
  readonly elapsed: number | null;
  readonly observation: string;
  readonly error: string | null;
  readonly artifacts: readonly ArtifactData[];
}

/** The model could not do what it said it could; the run goes on in another mode. */
export interface Demotion {
  readonly kind: "demotion";
  readonly key: string;
  readonly reason: string;
}

/** Where the context was summarised. */
export interface Divider {
  readonly kind: "divider";
  readonly key: string;
  readonly originalMessages: number;
  readonly keptMessages: number;
}

/** `queued` can be edited and taken back; `returned` was taken back or not read before the run ended. */
export type InterruptState = "queued" | "delivered" | "answered" | "returned";

/** What the person said while the run was at work. Moves to where it was delivered. */
export interface Interrupt {
  readonly kind: "interrupt";
  readonly key: string;
  readonly id: string;
  readonly content: string;
  readonly state: InterruptState;
  readonly iteration: number | null;
}

/** Something went wrong that the person should see. */
export interface Trouble {
  readonly kind: "trouble";
  readonly key: string;
  readonly message: string;
  readonly recoverable: boolean;
}

/** `none`: not begun; `partial`: the run ended in the middle of it. */
export type AnswerState = "none" | "streaming" | "complete" | "partial";

export interface Answer {
  readonly state: AnswerState;
  readonly text: string;
  /** From 1; rises when the text had to begin anew. */
  readonly attempt: number;
}

/** How the run ended. */
export interface Outcome {
  readonly stopReason: DoneData["stop_reason"];
  readonly iterations: number;
  readonly usage: UsageData;
  /** In seconds. */
  readonly elapsed: number;
  /** In US dollars, null when the price of the model is not known. */
  readonly cost: number | null;
}

/** A run before its first event. */
export const FRESH_RUN: Run = {
  activity: "waiting",
  lastEvent: 0,
  phase: null,
  items: [],
  answer: { state: "none", text: "", attempt: 1 },
  outcome: null,
};
