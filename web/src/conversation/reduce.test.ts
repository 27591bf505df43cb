// @vitest-environment node
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LogEvent } from "../protocol/log-event";
import { endedEvents, events } from "../testing/arbitrary-events";
import { RECORDINGS, recordedEvents } from "../testing/recordings";
import { FRESH_RUN, type Item, type Run } from "./conversation";
import { reduce } from "./reduce";

function runOf(some: readonly LogEvent[], from: Run = FRESH_RUN): Run {
  return some.reduce(reduce, from);
}

function recorded(name: string): Run {
  return runOf(recordedEvents(name));
}

function kinds(run: Run): Item["kind"][] {
  return run.items.map((item) => item.kind);
}

function items<Kind extends Item["kind"]>(run: Run, kind: Kind): Extract<Item, { kind: Kind }>[] {
  return run.items.filter((item): item is Extract<Item, { kind: Kind }> => item.kind === kind);
}

describe("what the service tells", () => {
  test("a plain answer is a thought and a text", () => {
    const run = recorded("plain-answer");
    expect(kinds(run)).toEqual(["thought"]);
    expect(run.answer).toMatchObject({ state: "complete", attempt: 1 });
    expect(run.outcome).toMatchObject({ stopReason: "answer", iterations: 1 });
    expect(run.activity).toBe("ended");
  });

  test("a tool call has its arguments, what it gave and its time", () => {
    const [group] = items(recorded("tool-then-answer"), "tool-calls");
    expect(group?.calls).toHaveLength(1);
    expect(group?.calls[0]).toMatchObject({ state: "done", error: null, elapsed: expect.any(Number) });
    expect(group?.calls[0]?.observation).not.toBe("");
  });

  test("calls of one iteration stand side by side, and one may fail alone", () => {
    const groups = items(recorded("parallel-tools"), "tool-calls");
    const states = groups[0]?.calls.map((call) => call.state) ?? [];
    expect(states.length).toBeGreaterThan(1);
    expect(states).toContain("failed");
    expect(states).toContain("done");
  });

  test("a demotion says why", () => {
    const run = recorded("demotion");
    expect(items(run, "demotion")[0]?.reason).toContain("JSON mode");
  });

  test("a summary of the context draws a divider within its iteration", () => {
    const run = recorded("compaction");
    const [divider] = items(run, "divider");
    expect(divider?.originalMessages).toBeGreaterThan(divider?.keptMessages ?? Number.POSITIVE_INFINITY);
  });

  test("an interrupt stands where it was delivered, as it was edited last", () => {
    const run = recorded("interrupts");
    expect(items(run, "interrupt")).toMatchObject([
      { id: "int_2", state: "returned", iteration: null },
      { id: "int_1", state: "answered", iteration: 1, content: "Only those in blue." },
    ]);
    expect(kinds(run)).toEqual(["thought", "tool-calls", "interrupt", "interrupt", "thought"]);
  });

  test("what is said during the answer comes back", () => {
    expect(items(recorded("interrupt-during-the-answer"), "interrupt")).toMatchObject([{ state: "returned" }]);
  });

  test("an answer that begins anew keeps nothing of the first attempt", () => {
    const run = recorded("answer-restart");
    const last = recordedEvents("answer-restart").at(-1);
    expect(run.answer).toEqual({
      state: "complete",
      text: last?.event === "done" ? last.data.answer : null,
      attempt: 2,
    });
  });

  test("a run that was cancelled within a tool cuts the call off and has no answer", () => {
    const run = recorded("cancelled-within-a-tool");
    expect(items(run, "tool-calls")[0]?.calls[0]).toMatchObject({ state: "cut-off", elapsed: null });
    expect(run.answer.state).toBe("none");
    expect(run.outcome?.stopReason).toBe("cancelled");
  });

  test("a run that was cancelled within its answer keeps what was said as a part", () => {
    const run = recorded("cancelled-within-the-answer");
    expect(run.answer.state).toBe("partial");
    expect(run.answer.text).not.toBe("");
  });

  test("a call that was ended alone has failed, and the run goes on", () => {
    const run = recorded("cancelled-call");
    expect(items(run, "tool-calls")[0]?.calls[0]?.state).toBe("failed");
    expect(run.answer.state).toBe("complete");
  });

  test("a run that failed says what went wrong", () => {
    const run = recorded("failed");
    expect(items(run, "trouble")[0]).toMatchObject({ recoverable: false });
    expect(run.outcome?.stopReason).toBe("error");
  });

  test("artifacts stay with their call", () => {
    const calls = items(recorded("artifacts"), "tool-calls").flatMap((group) => group.calls);
    expect(calls.flatMap((call) => call.artifacts).length).toBeGreaterThan(0);
  });

  test("a phase shows until the model is asked", () => {
    const log = recordedEvents("selecting-tools");
    const begun = log.findIndex((event) => event.event === "phase");
    const during = runOf(log.slice(0, begun + 1));
    expect(during.activity).toBe("phase");
    expect(during.phase).toEqual({ name: "selecting_tools", totalTools: expect.any(Number) });
    expect(runOf(log).phase).toBeNull();
  });

  test("a reset forgets everything that came before", () => {
    const [reset, ...rest] = recordedEvents("reset");
    expect(reset?.event).toBe("reset");
    expect(runOf([...recordedEvents("compaction"), ...recordedEvents("reset")])).toEqual(runOf(rest));
  });
});

describe.each(RECORDINGS)("the recording %s", (name) => {
  const log = recordedEvents(name).filter((event) => event.event !== "reset");

  test("is understood in whole", () => {
    expect(log.filter((event) => event.event === "unknown")).toEqual([]);
    expect(log.map((event) => event.id)).toEqual(log.map((_, index) => index + 1));
  });

  test("gives the same wherever a reader left and came back, also with some events twice", () => {
    const whole = runOf(log);
    for (let end = 0; end <= log.length; end += 1) {
      for (const back of [0, 1, 3, end]) {
        expect(runOf(log.slice(Math.max(0, end - back)), runOf(log.slice(0, end)))).toEqual(whole);
      }
    }
  });

  test("says in done what its pieces said", () => {
    const last = log.at(-1);
    const pieces = runOf(log.slice(0, -1)).answer.text;
    expect(last?.event === "done" && (last.data.answer === pieces || pieces === "")).toBe(true);
  });

  test("has a key of its own for each item", () => {
    const keys = runOf(log).items.map((item) => item.key);
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe("of any log, also one that no service would write,", () => {
  test("a part and the rest make the whole", () => {
    fc.assert(
      fc.property(fc.oneof(events, endedEvents), fc.nat(), fc.nat(), (log, a, b) => {
        const end = a % (log.length + 1);
        const back = b % (end + 1);
        expect(runOf(log.slice(back), runOf(log.slice(0, end)))).toEqual(runOf(log));
      }),
    );
  });

  test("an event that was taken in changes nothing, not even which object it is", () => {
    fc.assert(
      fc.property(fc.oneof(events, endedEvents), (log) => {
        const run = runOf(log);
        expect(runOf(log, run)).toBe(run);
      }),
    );
  });

  test("nothing is left open after done", () => {
    fc.assert(
      fc.property(endedEvents, (log) => {
        const run = runOf(log);
        expect(run.activity).toBe("ended");
        expect(run.phase).toBeNull();
        expect(run.outcome).not.toBeNull();
        expect(run.answer.state).not.toBe("streaming");
        expect(run.answer.state === "none").toBe(run.answer.text === "");
        expect(items(run, "thought").some((thought) => thought.thinking)).toBe(false);
        expect(items(run, "interrupt").some((interrupt) => interrupt.state === "queued")).toBe(false);
        const calls = items(run, "tool-calls").flatMap((group) => group.calls);
        expect(calls.some((call) => call.state === "running")).toBe(false);
      }),
    );
  });

  test("each item has a key of its own, and keeps it", () => {
    fc.assert(
      fc.property(events, (log) => {
        let before: readonly string[] = [];
        for (let end = 1; end <= log.length; end += 1) {
          const keys = runOf(log.slice(0, end)).items.map((item) => item.key);
          expect(new Set(keys).size).toBe(keys.length);
          expect(keys).toEqual(expect.arrayContaining([...before]));
          before = keys;
        }
      }),
    );
  });

  test("nothing that was handed out is changed afterwards", () => {
    fc.assert(
      fc.property(endedEvents, (log) => {
        let run = FRESH_RUN;
        for (const event of log) {
          const copy = structuredClone(run);
          const next = reduce(run, event);
          expect(run).toEqual(copy);
          run = next;
        }
      }),
    );
  });
});

test("pieces that were not heard of are healed by done", () => {
  const log = recordedEvents("plain-answer").filter(
    (event) => event.event !== "answer" || event.data.status !== "delta",
  );
  expect(runOf(log).answer).toEqual(recorded("plain-answer").answer);
});

test("a piece of the answer leaves the items as they are", () => {
  const log = recordedEvents("tool-then-answer");
  const first = log.findIndex((event) => event.event === "answer");
  const before = runOf(log.slice(0, first));
  expect(runOf(log.slice(first, -1), before).items).toBe(before.items);
});

test("a long answer in many pieces is quick", () => {
  const piece = "word ".repeat(10);
  const began = performance.now();
  let run = FRESH_RUN;
  for (let id = 1; id <= 20_000; id += 1) {
    run = reduce(run, { event: "answer", data: { status: "delta", content: piece }, id, at: 0 });
  }
  expect(run.answer.text).toHaveLength(1_000_000);
  expect(performance.now() - began).toBeLessThan(1000);
});
