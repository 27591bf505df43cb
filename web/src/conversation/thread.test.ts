// @vitest-environment node
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunState as ServedRun, WholeConversation } from "../protocol/api";
import { recordedEvents } from "../testing/recordings";
import { FRESH_RUN, type Turn } from "./conversation";
import { ask, asked, change, merge, type Thread, take, unasked, unknownThread } from "./thread";

function served(ids: readonly string[], status: ServedRun["status"] = "finished"): WholeConversation {
  const moment = "2026-01-02T03:04:05Z";
  const runs = ids.map((id, index) => ({
    id,
    conversation_id: "c1",
    query: `Question of ${id}`,
    agent: null,
    model: null,
    status: index === ids.length - 1 ? status : ("finished" as const),
    created_at: moment,
    ended_at: null,
  }));
  return { id: "c1", title: "Cups", created_at: moment, updated_at: moment, messages: [], runs };
}

function sending(key: string): Turn {
  return {
    key,
    runId: null,
    question: key,
    agent: null,
    model: null,
    createdAt: 0,
    state: "running",
    following: "unread",
    ending: null,
    run: FRESH_RUN,
  };
}

function runIds(thread: Thread): (string | null | undefined)[] {
  return thread.order.map((key) => thread.turns.get(key)?.runId);
}

test("what was known of a turn stays when the conversation is asked for again", () => {
  const first = merge(unknownThread("c1"), served(["r1", "r2"]));
  const read = take(first, "r1", recordedEvents("plain-answer"));
  const again = merge(read, served(["r1", "r2", "r3"]));
  expect(again.turns.get("r1")).toBe(read.turns.get("r1"));
  expect(again.turns.get("r2")).toBe(first.turns.get("r2"));
  expect(runIds(again)).toEqual(["r1", "r2", "r3"]);
  expect(merge(again, served(["r1", "r2", "r3"])).order).toBe(again.order);
});

test("a run that has ended does not work again since an older list says so", () => {
  const thread = merge(unknownThread("c1"), served(["r1"], "running"));
  expect(thread.activeKey).toBe("r1");
  const ended = take(thread, "r1", recordedEvents("plain-answer"));
  expect(ended.activeKey).toBeNull();
  expect(merge(ended, served(["r1"], "running")).activeKey).toBeNull();
});

test.each([
  ["plain-answer", "finished"],
  ["stopped", "finished"],
  ["failed", "failed"],
  ["cancelled-within-a-tool", "cancelled"],
  ["interrupted", "interrupted"],
] as const)("the end that %s tells is the state %s", (recording, state) => {
  const thread = merge(unknownThread("c1"), served(["r1"], "running"));
  expect(take(thread, "r1", recordedEvents(recording)).turns.get("r1")?.state).toBe(state);
});

test("a turn that is not there is not changed", () => {
  const thread = merge(unknownThread("c1"), served(["r1"]));
  expect(change(thread, "other", { following: "live" })).toBe(thread);
  expect(take(thread, "other", recordedEvents("plain-answer"))).toBe(thread);
});

test("whatever happens in whatever order, each run is there once and each key leads to its turn", () => {
  const id = fc.constantFrom("r1", "r2", "r3", "r4");
  const step = fc.oneof(
    fc.record({ do: fc.constant("merge" as const), ids: fc.uniqueArray(id), running: fc.boolean() }),
    fc.record({ do: fc.constant("ask" as const), replaces: fc.option(id) }),
    fc.record({ do: fc.constant("asked" as const), id }),
    fc.record({ do: fc.constant("unasked" as const) }),
    fc.record({ do: fc.constant("end" as const), id }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let thread = unknownThread("c1");
      let onItsWay: { key: string; replaced: Turn | undefined } | null = null;
      for (const [index, now] of steps.entries()) {
        if (now.do === "merge") thread = merge(thread, served(now.ids, now.running ? "running" : "finished"));
        else if (now.do === "end") thread = take(thread, now.id, recordedEvents("plain-answer"));
        else if (now.do === "ask" && onItsWay === null) {
          const replaced = [...thread.turns.values()].find((turn) => turn.runId === now.replaces);
          onItsWay = { key: `question-${index}`, replaced: now.replaces === null ? undefined : replaced };
          thread = ask(thread, sending(onItsWay.key), now.replaces);
        } else if (now.do === "asked" && onItsWay !== null) {
          thread = asked(thread, onItsWay.key, now.id);
          onItsWay = null;
        } else if (now.do === "unasked" && onItsWay !== null) {
          thread = unasked(thread, onItsWay.key, onItsWay.replaced);
          onItsWay = null;
        }
        const ids = runIds(thread).filter((one) => one !== null);
        expect(new Set(ids).size).toBe(ids.length);
        expect([...thread.turns.keys()].sort()).toEqual([...thread.order].sort());
        for (const [key, turn] of thread.turns) expect(turn.key).toBe(key);
        const last = thread.turns.get(thread.order.at(-1) ?? "");
        expect(thread.activeKey).toBe(last?.state === "running" ? last.key : null);
      }
    }),
  );
});
