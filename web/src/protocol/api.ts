/* Made by `make page-types` from what the service says of itself; a test compares the two. */

/** What can be changed. */
export interface ConversationChange {
  readonly title: string;
}

/** Conversations, the last changed first. next: pass it as `before` to get the following ones. */
export interface ConversationPage {
  readonly conversations: readonly ConversationState[];
  readonly next: string | null;
}

/** A conversation without its messages. */
export interface ConversationState {
  readonly id: string;
  readonly title: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** Something to say to a running agent. */
export interface Interrupt {
  readonly content: string;
}

/**
 * Where a message went. `run`: the agent reads it between two steps; the receipts are in its events.
 *
 * `next_turn`: the run had ended, or takes nothing more; run_id: the run that answers it, null while the present one
 * is still at its answer.
 */
export interface InterruptDelivery {
  readonly id: string;
  readonly delivery: "run" | "next_turn";
  readonly run_id: string | null;
}

/**
 * models: the roles that have a model; agents: the named ones.
 *
 * default: the role whose model answers when none is named; names: what the model of each role is called.
 */
export interface Models {
  readonly models: readonly string[];
  readonly default: string;
  readonly names: Readonly<Record<string, string>>;
  readonly agents: readonly string[];
}

/** A conversation to begin; without a title it gets the first question as one. */
export interface NewConversation {
  readonly title?: string;
}

/**
 * A question in a conversation. model, agent: as in a question of its own.
 *
 * replaces: the id of the conversation's last run, which has ended: it goes with everything that was said in it, and
 * this one comes in its place.
 */
export interface NewRun {
  readonly query: string;
  readonly mode?: "react";
  readonly model?: string | null;
  readonly agent?: string | null;
  readonly replaces?: string | null;
}

/** A question. model: a role with a model of its own; agent: a named agent of the settings. */
export interface Question {
  readonly query: string;
  readonly mode?: "react";
  readonly model?: string | null;
  readonly agent?: string | null;
}

/** A run. status: `running`, `finished`, `failed`, `cancelled`, or `interrupted` by a restart. */
export interface RunState {
  readonly id: string;
  readonly conversation_id: string;
  readonly query: string;
  readonly agent: string | null;
  readonly model: string | null;
  readonly status: "running" | "finished" | "failed" | "cancelled" | "interrupted";
  readonly created_at: string;
  readonly ended_at: string | null;
}

/** A run that has begun; its events are at `events`. */
export interface Started {
  readonly run_id: string;
  readonly events: string;
}

/** A tool as a model sees it; parameters: the JSON Schema of its arguments. */
export interface ToolState {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The tools that agents have. */
export interface Tools {
  readonly tools: readonly ToolState[];
}

/** A conversation. messages: what the next run will know; runs: in the order they began. */
export interface WholeConversation {
  readonly id: string;
  readonly title: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  readonly runs: readonly RunState[];
}

/** What went wrong, as RFC 9457 says it. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly {
    readonly field: string;
    readonly message: string;
  }[];
}
