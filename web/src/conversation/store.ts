/**
 * One conversation, kept in step with the service: its list of runs, and the events of those that are looked at.
 *
 * Knows no React. What is shown is `state`; everything else here only makes it change.
 */

import { createStore, type StoreApi } from "zustand/vanilla";
import type { InterruptDelivery } from "../protocol/api";
import * as client from "../protocol/client";
import { ApiError } from "../protocol/request";
import { FRESH_RUN, type Run, type Turn } from "./conversation";
import { RunReader } from "./run-reader";
import { ask, asked, change, merge, type Thread, unasked, unknownThread } from "./thread";

export interface AskOptions {
  readonly model?: string | null;
  readonly agent?: string | null;
  /** The last run, which this question takes the place of. */
  readonly replaces?: string | null;
}

/** When to look for the turn that begins with what came too late for the last one, in milliseconds after its end. */
const NEXT_TURN_WAITS = [150, 1000, 4000];

export class ConversationStore {
  readonly state: StoreApi<Thread>;

  readonly #id: string;
  readonly #onChanged: () => void;
  readonly #open = new AbortController();
  readonly #reader: RunReader;
  #starting: Promise<unknown> = Promise.resolve();
  #loading: Promise<void> | null = null;
  /** Rises with each question: what the service said before does not know of it. */
  #questions = 0;

  /** onChanged: called when a run began or ended, so that the list of conversations is no longer what it was. */
  constructor(id: string, onChanged: () => void) {
    this.#id = id;
    this.#onChanged = onChanged;
    this.state = createStore(() => unknownThread(id));
    this.#reader = new RunReader(this.state, (run) => this.#ended(run));
  }

  /** End everything that goes on; the store is of no use afterwards. */
  close(): void {
    this.#open.abort(new DOMException("The conversation was closed.", "AbortError"));
    this.#reader.close();
  }

  /** Ask the service for the conversation. What goes wrong is in `state.load`, and what was there stays. */
  load(): Promise<void> {
    this.#loading ??= this.#load().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    if (this.state.getState().load === "failed") this.state.setState({ load: "loading" });
    const { signal } = this.#open;
    try {
      let questions: number;
      do {
        questions = this.#questions;
        const whole = await client.getConversation(this.#id, signal);
        if (questions === this.#questions) this.#set(merge(this.state.getState(), whole));
      } while (questions !== this.#questions);
    } catch (error) {
      if (signal.aborted) return;
      const missing = error instanceof ApiError && error.status === 404;
      if (missing) this.state.setState({ load: "missing" });
      else if (this.state.getState().load !== "ready") this.state.setState({ load: "failed" });
      return;
    }
    this.#reader.followActive();
  }

  /** Have a turn's events here; returns what says that nobody looks at it any more. */
  follow(key: string): () => void {
    return this.#reader.follow(key);
  }

  /** Begin a run. While it is on its way the question is shown; when it cannot be sent, all is as before, and it throws. */
  async ask(question: string, options: AskOptions = {}): Promise<void> {
    const { model = null, agent = null, replaces = null } = options;
    const key = `question-${this.#questions}`;
    const before = this.state.getState();
    const replaced = [...before.turns.values()].find((turn) => turn.runId !== null && turn.runId === replaces);
    const turn: Turn = {
      key,
      runId: null,
      question,
      agent,
      model,
      createdAt: Date.now(),
      state: "running",
      following: "unread",
      ending: null,
      run: FRESH_RUN,
    };
    this.#questions += 1;
    this.#set(ask(before, turn, replaces));
    try {
      const body = { query: question, model, agent, ...(replaces !== null && { replaces }) };
      const starting = client.startRun(this.#id, body, this.#open.signal);
      this.#starting = starting.catch(() => undefined);
      const { run_id } = await starting;
      this.#questions += 1;
      this.#set(asked(this.state.getState(), key, run_id));
    } catch (error) {
      this.#questions += 1;
      this.#set(unasked(this.state.getState(), key, replaced));
      if (error instanceof ApiError) void this.load(); // somebody else may have begun a run
      throw error;
    }
    this.#reader.followActive();
    this.#onChanged();
  }

  /** Say something to the agent at work. When it has ended meanwhile, that begins the next turn. */
  async interrupt(content: string): Promise<InterruptDelivery | null> {
    await this.#starting;
    const { order, turns } = this.state.getState();
    const runId = turns.get(order.at(-1) ?? "")?.runId;
    if (runId == null) return null;
    const delivery = await client.sendInterrupt(runId, content);
    if (delivery.delivery === "next_turn") void this.#lookForNextTurn();
    return delivery;
  }

  async editInterrupt(runId: string, id: string, content: string): Promise<void> {
    await client.editInterrupt(runId, id, content);
  }

  async takeBack(runId: string, id: string): Promise<void> {
    await client.takeBackInterrupt(runId, id);
  }

  /** Let running tools finish, then answer. */
  stop(): Promise<void> {
    return this.#end("stop", client.stopRun);
  }

  /** End the run at once. */
  cancel(): Promise<void> {
    return this.#end("cancel", client.cancelRun);
  }

  /** End one tool call; the run goes on. */
  async cancelCall(runId: string, callId: string): Promise<void> {
    await client.cancelCall(runId, callId);
  }

  async #end(ending: "stop" | "cancel", send: (runId: string) => Promise<unknown>): Promise<void> {
    await this.#starting;
    const { activeKey: key, turns } = this.state.getState();
    const turn = turns.get(key ?? "");
    if (turn?.runId == null) return;
    const { ending: before } = turn;
    this.#set(change(this.state.getState(), turn.key, { ending }));
    try {
      await send(turn.runId);
    } catch (error) {
      this.#set(change(this.state.getState(), turn.key, { ending: before }));
      throw error;
    }
  }

  #ended(run: Run): void {
    this.#onChanged();
    const returned = run.items.some((item) => item.kind === "interrupt" && item.state === "returned");
    if (returned) void this.#lookForNextTurn();
  }

  /** What came too late for a run begins the next one, a moment after its end. */
  async #lookForNextTurn(): Promise<void> {
    const { length } = this.state.getState().order;
    for (const milliseconds of NEXT_TURN_WAITS) {
      await this.load();
      if (this.#open.signal.aborted || this.state.getState().order.length > length) return;
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    }
    await this.load();
  }

  #set(thread: Thread): void {
    this.state.setState(thread, true);
  }
}
