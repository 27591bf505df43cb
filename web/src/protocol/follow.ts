/**
 * Follow one run's events to their end, across broken connections, restarts of the service and a sleeping laptop.
 *
 * The number of the last event is all that is kept between two connections; the service sends exactly the rest.
 */

import { openEvents } from "./client";
import { keyStore } from "./key";
import { type LogEvent, toLogEvent } from "./log-event";
import { ApiError, Unreachable } from "./request";
import { SseDecoder } from "./sse";
import { onWake } from "./wake";

export interface Follower {
  /** Events, in order, as they come: those of one piece of the stream at once. */
  onEvents(events: readonly LogEvent[]): void;
  /** The connection broke and could not be had again at once; it is sought. */
  onLost(): void;
  /** The connection is there (again). */
  onFound(): void;
}

export interface FollowOptions {
  /** The number of the last event that is here already. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** How long to wait before the first new attempt, in milliseconds; it doubles with each. */
  readonly firstWait?: number;
}

/**
 * Returns after `done`.
 *
 * @throws {ApiError} when the service does not give the events and will not later, for example since there is no such run
 * @throws the signal's reason
 */
export async function followRun(runId: string, follower: Follower, options: FollowOptions): Promise<void> {
  const { signal, firstWait = FIRST_WAIT } = options;
  const reader = new LogReader(runId, follower, options.after);
  let failures = 0;
  for (;;) {
    const before = reader.last;
    const { lived, retry } = await reader.read(signal);
    if (reader.ended) return;
    // Proxies end connections that were good for a while: that is no trouble, and nobody needs to hear of it.
    failures = reader.last !== before || lived >= GOOD_LIFE ? 0 : failures + 1;
    if (failures > 0) follower.onLost();
    const wait = failures === 0 ? firstWait / 5 : Math.min(firstWait * 2 ** (failures - 1), LONGEST_WAIT);
    await pause(Math.max(retry ?? 0, wait), signal);
  }
}

interface Connection {
  /** How long it was there, in milliseconds. */
  readonly lived: number;
  /** How long the service wants to be left alone, in milliseconds, if it said. */
  readonly retry: number | null;
}

/** The service sends a comment every 15 seconds, if nobody changed that. */
const SILENCE_ON_WAKE = 20_000;
const SILENCE = 90_000;
const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
const GOOD_LIFE = 10_000;
const CLOCK_TOLERANCE = 3_000;

class LogReader {
  last: number;
  ended = false;

  readonly #runId: string;
  readonly #follower: Follower;

  constructor(runId: string, follower: Follower, after: number) {
    this.#runId = runId;
    this.#follower = follower;
    this.last = after;
  }

  /** Read one connection until it ends or breaks. */
  async read(outer: AbortSignal): Promise<Connection> {
    const watch = new SilenceWatch();
    const signal = AbortSignal.any([outer, watch.signal]);
    const decoder = new SseDecoder();
    let openedAt: number | null = null;
    try {
      const response = await openEvents(this.#runId, this.last, signal);
      openedAt = Date.now();
      const ahead = clockAhead(response, openedAt);
      this.#follower.onFound();
      if (response.body !== null) await this.#readBody(response.body, decoder, ahead, watch);
    } catch (error) {
      outer.throwIfAborted();
      await mayComeBack(error, outer);
    } finally {
      watch.close();
    }
    return { lived: openedAt === null ? 0 : Date.now() - openedAt, retry: decoder.retry };
  }

  async #readBody(
    body: ReadableStream<Uint8Array>,
    decoder: SseDecoder,
    ahead: number,
    watch: SilenceWatch,
  ): Promise<void> {
    const reader = body.getReader();
    const bytes = new TextDecoder();
    try {
      // Also after the last event, until the service ends the stream: the connection can then be used again.
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        watch.heard();
        const sent = decoder.push(bytes.decode(value, { stream: true }));
        this.#take(sent.map((event) => toLogEvent(event, Date.now(), ahead)));
      }
    } finally {
      void reader.cancel().catch(() => undefined); // it may have broken already
    }
  }

  #take(events: readonly LogEvent[]): void {
    if (events.length === 0) return;
    for (const event of events) {
      if (event.event === "reset") this.last = 0;
      else this.last = Math.max(this.last, event.id ?? 0);
      this.ended ||= event.event === "done";
    }
    this.#follower.onEvents(events);
  }
}

/** By how much the clock here is ahead of the service's, in milliseconds; less than the header can tell is nothing. */
function clockAhead(response: Response, now: number): number {
  const ahead = now - Date.parse(response.headers.get("Date") ?? "");
  return Math.abs(ahead) > CLOCK_TOLERANCE ? ahead : 0;
}

/** Returns when there is a point in another attempt; throws `error` when there is none. */
async function mayComeBack(error: unknown, signal: AbortSignal): Promise<void> {
  if (!(error instanceof ApiError)) return; // the connection broke
  if (error.status === 401) await newKey(signal);
  else if (error.status < 500 && error.status !== 408 && error.status !== 429) throw error;
}

/** Wait until a person has given a key; at once when that has happened meanwhile. */
function newKey(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (signal.aborted) reject(signal.reason);
      else if (keyStore.getState().wanted) return;
      else resolve();
      leave();
      signal.removeEventListener("abort", look);
    };
    const leave = keyStore.subscribe(look);
    signal.addEventListener("abort", look);
    look();
  });
}

/** Wait so many milliseconds, more or less, so that not everybody comes back at once; shorter when there is reason to. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const over = () => {
      clearTimeout(timer);
      leave();
      signal.removeEventListener("abort", over);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(over, milliseconds * (0.5 + Math.random()));
    const leave = onWake(over);
    signal.addEventListener("abort", over);
  });
}

/** Ends a connection from which nothing has come for long: a machine that slept does not hear of its end. */
class SilenceWatch {
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  #heardAt = Date.now();
  readonly #timer = setInterval(() => this.#check(SILENCE), SILENCE / 3);
  readonly #leave = onWake(() => this.#check(SILENCE_ON_WAKE));

  heard(): void {
    this.#heardAt = Date.now();
  }

  #check(longest: number): void {
    if (Date.now() - this.#heardAt > longest) this.#controller.abort(new Unreachable("The connection fell silent."));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#leave();
  }
}
