/* Made by `make page-types` from what the service says of itself; a test compares the two. */

/** A phase begins. `total_tools` comes with `selecting_tools`, `reason` with `demoted`. */
export interface PhaseData {
  readonly phase: string;
  readonly total_tools?: number;
  readonly reason?: string;
}

/** The tool loop is done. */
export interface AnswerReadyData {
  readonly type: "answer";
  readonly status: "start";
}

/** What a tool made for the person; `size` is in bytes. The service has it at `/api/artifacts/{id}`. */
export interface ArtifactData {
  readonly name: string;
  readonly media_type: string;
  readonly size: number;
  readonly id?: string;
}

/** The model's reply was read. */
export interface ThinkingDoneData {
  readonly type: "thinking";
  readonly status: "done";
  readonly iteration: number;
  readonly reasoning: string;
}

/** The model is about to be asked. */
export interface ThinkingStartData {
  readonly type: "thinking";
  readonly status: "start";
  readonly iteration: number;
}

/** A tool call ended. `iter_elapsed` is in seconds, `error` null unless it failed. */
export interface ToolDoneData {
  readonly type: "iteration";
  readonly status: "done";
  readonly iteration: number;
  readonly call_id: string;
  readonly tool_name: string;
  readonly observation: string;
  readonly error: string | null;
  readonly iter_elapsed: number;
  readonly artifacts: readonly ArtifactData[];
}

/** A tool starts. `started_at`, in seconds since 1970, comes with stored runs, for who reads them later. */
export interface ToolStartData {
  readonly type: "iteration";
  readonly status: "start";
  readonly iteration: number;
  readonly call_id: string;
  readonly tool_name: string;
  readonly tool_args: Readonly<Record<string, unknown>>;
  readonly started_at?: number;
}

export type StepData = ThinkingStartData | ThinkingDoneData | ToolStartData | ToolDoneData | AnswerReadyData;

/** The next piece of the answer. */
export interface AnswerDeltaData {
  readonly status: "delta";
  readonly content: string;
}

/** The streamed answer begins, or is whole. */
export interface AnswerEdgeData {
  readonly status: "start" | "done";
}

/** Forget the text so far: the answer begins anew. `attempt` counts from 2. */
export interface AnswerRestartData {
  readonly status: "restart";
  readonly attempt: number;
}

export type AnswerData = AnswerEdgeData | AnswerDeltaData | AnswerRestartData;

/** The history was summarised. */
export interface CompactData {
  readonly original_messages: number;
  readonly kept_messages: number;
}

/** The receipt of an interrupt. `iteration` is null until one has taken it up. */
export interface InjectData {
  readonly type: "inject";
  readonly id: string;
  readonly content: string;
  readonly status: "queued" | "delivered" | "answered" | "returned";
  readonly iteration: number | null;
}

/** Something the person should see. */
export interface ErrorData {
  readonly message: string;
  readonly recoverable: boolean;
}

/** Tokens of the whole run; a figure that nobody reported is null, and missed in `unreported` of `calls`. */
export interface UsageData {
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly reasoning_tokens: number | null;
  readonly calls: number;
  readonly unreported: number;
}

/**
 * The end of a run. `elapsed` is in seconds, `cost` in US dollars, null where it is not known.
 *
 * A run that somebody cancelled, or that a shutdown or a crash of the service interrupted, has no reason of its own:
 * the service says so for it.
 */
export interface DoneData {
  readonly answer: string;
  readonly iterations: number;
  readonly usage: UsageData;
  readonly elapsed: number;
  readonly cost: number | null;
  readonly stop_reason:
    | "answer"
    | "max_iterations"
    | "max_tokens"
    | "max_cost"
    | "max_time"
    | "max_calls"
    | "stopped"
    | "error"
    | "cancelled"
    | "interrupted";
}

/** The offset that was asked for is not one of this run: forget everything, it follows from the first event. */
export type ResetData = Readonly<Record<string, never>>;

/** An event as it is sent: its name and its data. */
export type WireEvent =
  | { readonly event: "phase"; readonly data: PhaseData }
  | { readonly event: "step"; readonly data: StepData }
  | { readonly event: "answer"; readonly data: AnswerData }
  | { readonly event: "compact"; readonly data: CompactData }
  | { readonly event: "inject"; readonly data: InjectData }
  | { readonly event: "error"; readonly data: ErrorData }
  | { readonly event: "done"; readonly data: DoneData }
  | { readonly event: "reset"; readonly data: ResetData };

export type EventName = WireEvent["event"];
