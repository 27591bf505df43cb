/** Logs that no service would write: every event with every data, in any order. */

import fc from "fast-check";
import type { WireEvent } from "../protocol/events";
import type { LogEvent } from "../protocol/log-event";

const text = fc.string({ maxLength: 8 });
const iteration = fc.integer({ min: 1, max: 3 });
const callId = fc.constantFrom("a", "b");
const tokens = fc.option(fc.nat());
const amount = fc.float({ min: 0, noNaN: true });
const cost: fc.Arbitrary<number | null> = fc.option(amount, { nil: null });

const event: fc.Arbitrary<WireEvent | { event: "unknown"; data: unknown }> = fc.oneof(
  fc.record({
    event: fc.constant("phase" as const),
    data: fc.record({ phase: fc.constantFrom("selecting_tools", "demoted", "other") }),
  }),
  fc.record({
    event: fc.constant("step" as const),
    data: fc.oneof(
      fc.record({ type: fc.constant("thinking" as const), status: fc.constant("start" as const), iteration }),
      fc.record({
        type: fc.constant("thinking" as const),
        status: fc.constant("done" as const),
        iteration,
        reasoning: text,
      }),
      fc.record({
        type: fc.constant("iteration" as const),
        status: fc.constant("start" as const),
        iteration,
        call_id: callId,
        tool_name: text,
        tool_args: fc.dictionary(text, fc.jsonValue({ maxDepth: 1 })),
      }),
      fc.record({
        type: fc.constant("iteration" as const),
        status: fc.constant("done" as const),
        iteration,
        call_id: callId,
        tool_name: text,
        observation: text,
        error: fc.option(text),
        iter_elapsed: amount,
        artifacts: fc.constant([]),
      }),
      fc.record({ type: fc.constant("answer" as const), status: fc.constant("start" as const) }),
    ),
  }),
  fc.record({
    event: fc.constant("answer" as const),
    data: fc.oneof(
      fc.record({ status: fc.constantFrom("start" as const, "done" as const) }),
      fc.record({ status: fc.constant("delta" as const), content: text }),
      fc.record({ status: fc.constant("restart" as const), attempt: fc.integer({ min: 2, max: 4 }) }),
    ),
  }),
  fc.record({
    event: fc.constant("compact" as const),
    data: fc.record({ original_messages: fc.nat(), kept_messages: fc.nat() }),
  }),
  fc.record({
    event: fc.constant("inject" as const),
    data: fc.record({
      type: fc.constant("inject" as const),
      id: fc.constantFrom("int_1", "int_2"),
      content: text,
      status: fc.constantFrom("queued" as const, "delivered" as const, "answered" as const, "returned" as const),
      iteration: fc.option(iteration),
    }),
  }),
  fc.record({
    event: fc.constant("error" as const),
    data: fc.record({ message: text, recoverable: fc.boolean() }),
  }),
  fc.record({ event: fc.constant("unknown" as const), data: fc.jsonValue({ maxDepth: 1 }) }),
);

const done: fc.Arbitrary<WireEvent> = fc.record({
  event: fc.constant("done" as const),
  data: fc.record({
    answer: text,
    iterations: fc.nat(),
    usage: fc.record({
      prompt_tokens: tokens,
      completion_tokens: tokens,
      cached_tokens: tokens,
      reasoning_tokens: tokens,
      calls: fc.nat(),
      unreported: fc.nat(),
    }),
    elapsed: amount,
    cost,
    stop_reason: fc.constantFrom("answer" as const, "stopped" as const, "error" as const, "cancelled" as const),
  }),
});

/** Events numbered from 1. */
export const events: fc.Arbitrary<LogEvent[]> = fc.array(event, { maxLength: 30 }).map(numbered);

/** The same, and `done` at the end. */
export const endedEvents: fc.Arbitrary<LogEvent[]> = fc
  .tuple(fc.array(event, { maxLength: 30 }), done)
  .map(([some, last]) => numbered([...some, last]));

function numbered(some: readonly (WireEvent | { event: "unknown"; data: unknown })[]): LogEvent[] {
  return some.map((one, index) => ({ ...one, id: index + 1, at: 1000 * index }));
}
