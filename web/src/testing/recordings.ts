/** Streams that the Python tests recorded from the service: the contract of both sides. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type LogEvent, toLogEvent } from "../protocol/log-event";
import { SseDecoder } from "../protocol/sse";

const FOLDER = join(import.meta.dirname, "../../../tests/recordings");
const ENDING = ".sse";

export const RECORDINGS: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(ENDING))
  .map((file) => file.slice(0, -ENDING.length));

/** The text of a recording, as it was sent. */
export function recordedText(name: string): string {
  return readFileSync(join(FOLDER, name + ENDING), "utf8");
}

/** The events of a recording; each arrives a second after the one before, from 1970 on. */
export function recordedEvents(name: string): LogEvent[] {
  return new SseDecoder().push(recordedText(name)).map((event, index) => toLogEvent(event, index * 1000));
}
