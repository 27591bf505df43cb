// @vitest-environment node
import { expect, test } from "vitest";
import { toLogEvent } from "./log-event";

function sent(event: string, data: string, id = "7") {
  return { id, event, data };
}

test("an event has a number, a name and data", () => {
  expect(toLogEvent(sent("error", '{"message": "no", "recoverable": true}'), 5)).toEqual({
    event: "error",
    data: { message: "no", recoverable: true },
    id: 7,
    at: 5,
  });
});

test.each([
  ["a name that is not known", "approval", "{}"],
  ["a name that every object has", "constructor", "{}"],
  ["data that is no JSON", "error", "{"],
  ["data that is no object", "error", "3"],
  ["no data", "error", "null"],
])("%s counts, and says nothing", (_, name, data) => {
  expect(toLogEvent(sent(name, data), 5)).toMatchObject({ event: "unknown", id: 7 });
});

test.each(["", "x", "-1", "1.5"])("%j is no number of an event", (id) => {
  expect(toLogEvent(sent("error", "{}", id), 5).id).toBeNull();
});

test("a reset has no number, whatever was the last one", () => {
  expect(toLogEvent(sent("reset", "{}", "7"), 5)).toMatchObject({ event: "reset", id: null });
});

test("a tool began when the service says, by the clock here, but not later than one heard of it", () => {
  const start = (at: number) => sent("step", JSON.stringify({ type: "iteration", status: "start", started_at: at }));
  expect(toLogEvent(start(100), 130_000).at).toBe(100_000);
  expect(toLogEvent(start(100), 130_000, 20_000).at).toBe(120_000);
  expect(toLogEvent(start(100), 90_000).at).toBe(90_000);
});
