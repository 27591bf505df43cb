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
  /** When it happened as far as is known, else when it arrived, in milliseconds since 1970 by the clock here. */
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

/**
 * Read an event that arrived at `now`. `ahead`: by how much the clock here is ahead of the service's, in milliseconds.
 * The service's description is trusted for what data a known event has.
 */
export function toLogEvent(sent: ServerSentEvent, now: number, ahead = 0): LogEvent {
  const id = sent.event !== "reset" && /^[0-9]+$/.test(sent.id) ? Number(sent.id) : null;
  const data = parsed(sent.data);
  if (!Object.hasOwn(KNOWN, sent.event) || typeof data !== "object" || data === null) {
    return { event: "unknown", data, id, at: now };
  }
  const at = "started_at" in data ? Math.min(now, Number(data.started_at) * 1000 + ahead) : now;
  return { event: sent.event, data, id, at } as LogEvent;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
