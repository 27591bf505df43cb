/** Reads the events of a conversation's runs into its state: those that are looked at, and the one at work. */

import type { StoreApi } from "zustand/vanilla";
import { followRun } from "../protocol/follow";
import type { LogEvent } from "../protocol/log-event";
import type { Run, Turn } from "./conversation";
import { frames } from "./frames";
import { ReadingQueue } from "./reading-queue";
import { change, type Thread, take } from "./thread";

const READS_AT_ONCE = 3;

export class RunReader {
  readonly #state: StoreApi<Thread>;
  readonly #onEnded: (run: Run) => void;
  readonly #open = new AbortController();
  readonly #queue = new ReadingQueue(READS_AT_ONCE);
  /** The turns whose events are being read. */
  readonly #followed = new Set<string>();
  /** Those of them that were at work when that began: they are shown as it happens. */
  readonly #watched = new Set<string>();
  readonly #arrived = new Map<string, LogEvent[]>();
  readonly #frames = frames(() => this.#takeArrived());

  /** onEnded: called when a run that was at work has ended. */
  constructor(state: StoreApi<Thread>, onEnded: (run: Run) => void) {
    this.#state = state;
    this.#onEnded = onEnded;
  }

  close(): void {
    this.#open.abort(new DOMException("The conversation was closed.", "AbortError"));
    this.#queue.clear();
    this.#frames.cancel();
  }

  /** Have a turn's events here; returns what says that nobody looks at it any more. */
  follow(key: string): () => void {
    const turn = this.#state.getState().turns.get(key);
    const wanted = turn?.following === "unread" || turn?.following === "failed";
    if (turn?.runId == null || !wanted || this.#followed.has(key)) return () => undefined;
    this.#queue.add(key, () => this.#read(key));
    return () => this.#queue.remove(key);
  }

  /** A run at work is followed whether somebody looks or not. */
  followActive(): void {
    const { activeKey: key, turns } = this.#state.getState();
    const turn = turns.get(key ?? "");
    if (turn?.runId == null || turn.following === "read" || this.#followed.has(turn.key)) return;
    this.#queue.remove(turn.key);
    void this.#read(turn.key);
  }

  async #read(key: string): Promise<void> {
    const turn = this.#state.getState().turns.get(key);
    if (turn?.runId == null || this.#followed.has(key)) return;
    this.#followed.add(key);
    if (turn.state === "running") this.#watched.add(key);
    this.#change(key, { following: "reading" });
    const follower = {
      onEvents: (events: readonly LogEvent[]) => this.#arrive(key, events),
      onLost: () => {
        this.#frames.flush();
        this.#change(key, { following: "lost" });
      },
      onFound: () => this.#found(key),
    };
    try {
      await followRun(turn.runId, follower, { after: turn.run.lastEvent, signal: this.#open.signal });
    } catch {
      // The run is not there (any more), or the conversation was closed: nothing that asking again would mend.
      this.#arrived.delete(key);
      this.#change(key, { following: "failed" });
    } finally {
      this.#followed.delete(key);
    }
  }

  #found(key: string): void {
    const turn = this.#state.getState().turns.get(key);
    if (turn?.following === "lost") this.#change(key, { following: turn.run.lastEvent > 0 ? "live" : "reading" });
  }

  #arrive(key: string, events: readonly LogEvent[]): void {
    const arrived = this.#arrived.get(key);
    if (arrived === undefined) this.#arrived.set(key, [...events]);
    else arrived.push(...events);
    this.#frames.request();
  }

  #takeArrived(): void {
    // A run that is over is shown once it is here as a whole: nobody wants to see it happen again.
    const arrived = [...this.#arrived].filter(([key, events]) => this.#watched.has(key) || isWhole(events));
    for (const [key] of arrived) this.#arrived.delete(key);
    this.#set(arrived.reduce((thread, [key, events]) => take(thread, key, events), this.#state.getState()));
    for (const [key] of arrived) {
      const run = this.#state.getState().turns.get(key)?.run;
      if (run?.outcome != null && this.#watched.delete(key)) this.#onEnded(run);
    }
  }

  #change(key: string, changes: Partial<Turn>): void {
    this.#set(change(this.#state.getState(), key, changes));
  }

  #set(thread: Thread): void {
    this.#state.setState(thread, true);
  }
}

function isWhole(events: readonly LogEvent[]): boolean {
  return events.at(-1)?.event === "done";
}
