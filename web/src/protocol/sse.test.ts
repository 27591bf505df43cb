// @vitest-environment node
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ServerSentEvent, SseDecoder } from "./sse";

function decode(...pieces: string[]): ServerSentEvent[] {
  const decoder = new SseDecoder();
  return pieces.flatMap((piece) => decoder.push(piece));
}

/** `text` cut at every one of these places. */
function cut(text: string, places: readonly number[]): string[] {
  const sorted = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end));
}

test("an event has an id, a name and data", () => {
  expect(decode('id: 7\nevent: step\ndata: {"a": 1}\n\n')).toEqual([{ id: "7", event: "step", data: '{"a": 1}' }]);
});

test("an event without a name is a message, and keeps the id of the one before", () => {
  expect(decode("id: 1\ndata: a\n\ndata: b\n\n")).toEqual([
    { id: "1", event: "message", data: "a" },
    { id: "1", event: "message", data: "b" },
  ]);
});

test("lines of data are joined", () => {
  expect(decode("data: a\ndata\ndata:  b\n\n")).toEqual([{ id: "", event: "message", data: "a\n\n b" }]);
});

test("an event without data is none, and its name is forgotten", () => {
  expect(decode("event: step\nid: 3\n\ndata: x\n\n")).toEqual([{ id: "3", event: "message", data: "x" }]);
});

test("comments and unknown fields say nothing", () => {
  expect(decode(": ping\n\n:\nfoo: bar\ndata: x\n\n")).toEqual([{ id: "", event: "message", data: "x" }]);
});

test("an id with a null character is not taken", () => {
  expect(decode("id: 4\ndata: a\n\nid: 5\0\ndata: b\n\n").map((event) => event.id)).toEqual(["4", "4"]);
});

test("a byte order mark at the very beginning is skipped, a later one is text", () => {
  expect(decode("\ufeffdata: a\n\n", "data: \ufeffb\n\n").map((event) => event.data)).toEqual(["a", "\ufeffb"]);
});

test("an event that was not completed is none", () => {
  expect(decode("data: a\n\ndata: b\n")).toEqual([{ id: "", event: "message", data: "a" }]);
});

test.each([
  ["3000", 3000],
  ["0", 0],
  ["-1", null],
  ["1e3", null],
  ["", null],
])("retry: %s is read as %s", (value, expected) => {
  const decoder = new SseDecoder();
  decoder.push(`retry: ${value}\n`);
  expect(decoder.retry).toBe(expected);
});

describe("however the lines end and wherever the text is cut", () => {
  const word = fc.string({ unit: fc.constantFrom("a", ":", " ", "é", "😀", "\0", "{"), maxLength: 6 });
  const line = fc.oneof(
    word.map((value) => `data: ${value}`),
    word.map((value) => `data:${value}`),
    word.map((value) => `id: ${value}`),
    word.map((value) => `event: ${value}`),
    word.map((value) => `: ${value}`),
    fc.constant(""),
    word,
  );
  const lines = fc.array(line, { maxLength: 20 });

  test("the events are the same", () => {
    const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
    fc.assert(
      fc.property(lines, lineEnd, fc.array(fc.nat(), { maxLength: 30 }), (said, end, places) => {
        const whole = decode(said.map((one) => `${one}\n`).join(""));
        const text = said.map((one) => one + end).join("");
        // What ends in a carriage return may go on with a line feed: the end of the text settles it.
        expect(decode(...cut(text, places))).toEqual(whole);
      }),
    );
  });

  test("each character may come alone", () => {
    const text = '\ufeffid: 1\r\nevent: answer\r\ndata: {"content": "a\\r\\nb"}\r\n\r\nid: 2\rdata: 😀\r\r';
    expect(decode(...text.split(""))).toEqual(decode(text));
    expect(decode(text)).toHaveLength(2);
  });
});

test("a large event in small pieces takes no time that grows with its square", () => {
  const decoder = new SseDecoder();
  const piece = "x".repeat(1000);
  decoder.push("data: ");
  const began = performance.now();
  for (let count = 0; count < 4000; count += 1) decoder.push(piece);
  const [event] = decoder.push("\n\n");
  expect(event?.data).toHaveLength(4_000_000);
  expect(performance.now() - began).toBeLessThan(2000);
});
