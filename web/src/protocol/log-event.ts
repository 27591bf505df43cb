/** An event of a run's log, read from a server-sent event. */

import type { EventName, WireEvent } from "./events";
import type { ServerSentEvent } from "./sse";

/** What a newer service may say and this page does not know; it counts, and says nothing. */
interface UnknownEvent {
  readonly event: "unknown";
  readonly data: unknown;
}

export type LogEvent = (WireEvent | UnknownEvent) & {
  /** Its number in the run, from 1; null for `reset`, which has none. */
  readonly id: number | null;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
};

const KNOWN: Record<EventName, true> = {
  phase: true,
  step: true,
  answer: true,
  compact: true,
  inject: true,
  error: true,
  done: true,
  reset: true,
};

/** Read an event that arrived at `at`. The service's description is trusted for what data a known event has. */
export function toLogEvent(sent: ServerSentEvent, at: number): LogEvent {
  const id = sent.event !== "reset" && /^[0-9]+$/.test(sent.id) ? Number(sent.id) : null;
  const data = parsed(sent.data);
  if (!Object.hasOwn(KNOWN, sent.event) || typeof data !== "object" || data === null) {
    return { event: "unknown", data, id, at };
  }
  return { event: sent.event, data, id, at } as LogEvent;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
