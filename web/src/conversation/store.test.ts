// @vitest-environment node
import { expect, onTestFinished, test, vi } from "vitest";
import { Unreachable } from "../protocol/request";
import { FakeConversation } from "../testing/fake-conversation";
import { beginEvents, sendJson, sendProblem } from "../testing/fake-service";
import { recordedText } from "../testing/recordings";
import { until } from "../testing/until";
import type { Turn } from "./conversation";
import { ConversationStore } from "./store";

async function opened() {
  const service = await FakeConversation.serve();
  const onChanged = vi.fn();
  const store = new ConversationStore(service.id, onChanged);
  onTestFinished(() => store.close());
  return { service, store, onChanged };
}

function turns(store: ConversationStore): Turn[] {
  const { order, turns } = store.state.getState();
  return order.map((key) => turns.get(key) as Turn);
}

function turn(store: ConversationStore, index: number): Turn {
  return turns(store).at(index) as Turn;
}

/** The service's events cannot be had. */
const noEvents: FakeConversation["instead"] = (asked, response) => {
  const events = asked.path.endsWith("/events");
  if (events) response.destroy();
  return events;
};

/** The first so many events of a recording, and the rest. */
function halves(name: string, count: number): [string, string] {
  const text = recordedText(name);
  const cut = text.indexOf(`id: ${count + 1}\n`);
  return [text.slice(0, cut), text.slice(cut)];
}

test("a conversation is its runs, and their events are read when somebody looks", async () => {
  const { service, store } = await opened();
  service.add("What is a cup?", "plain-answer");
  service.add("And a bowl?", "tool-then-answer");
  await store.load();
  expect(store.state.getState()).toMatchObject({ load: "ready", title: "Cups", activeKey: null });
  expect(turns(store)).toMatchObject([
    { key: "r1", question: "What is a cup?", following: "unread", state: "finished" },
    { key: "r2", question: "And a bowl?", following: "unread", state: "finished" },
  ]);
  expect(service.asked).toEqual(["GET /api/conversations/c1"]);

  const untouched = turn(store, 1);
  store.follow("r1");
  await until(() => turn(store, 0).following === "read");
  expect(turn(store, 0).run.answer.state).toBe("complete");
  expect(turn(store, 1)).toBe(untouched);
});

test("few runs are read at once, the last ones that came into view first, and not those that left it", async () => {
  const { service, store } = await opened();
  for (let count = 0; count < 6; count += 1) service.add("?", "plain-answer");
  await store.load();
  const leave = turns(store).map((one) => store.follow(one.key));
  leave[4]?.();
  await until(() => turns(store).filter((one) => one.following === "read").length === 5);
  expect(turn(store, 4).following).toBe("unread");
  const order = service.asked.filter((path) => path.includes("/events")).map((path) => /r\d/.exec(path)?.[0]);
  expect(order).toHaveLength(5);
  expect(order.at(-1)).toBe("r4"); // r1 to r3 began at once, then r6 came before it
});

test("a run at work is followed at once, and lives until its end", async () => {
  const { service, store, onChanged } = await opened();
  const [first, rest] = halves("tool-then-answer", 3);
  service.add("Go", null);
  service.say("r1", first);
  await store.load();
  await until(() => turn(store, 0).following === "live");
  expect(store.state.getState().activeKey).toBe("r1");
  expect(turn(store, 0).run.activity).toBe("acting");
  service.say("r1", rest);
  await until(() => turn(store, 0).following === "read");
  expect(turn(store, 0)).toMatchObject({ state: "finished", run: { activity: "ended" } });
  expect(store.state.getState().activeKey).toBeNull();
  expect(onChanged).toHaveBeenCalledTimes(1);
});

test("after a broken connection the run goes on where it was, and nothing is there twice", async () => {
  const { service, store } = await opened();
  const [first, rest] = halves("tool-then-answer", 4);
  service.add("Go");
  service.say("r1", first);
  await store.load();
  await until(() => turn(store, 0).following === "live");
  service.instead = noEvents;
  service.breakConnections();
  await until(() => turn(store, 0).following === "lost");
  service.instead = null;
  service.service.window.dispatchEvent(new Event("online"));
  await until(() => turn(store, 0).following === "live"); // also when there is nothing new
  service.instead = noEvents;
  service.breakConnections();
  await until(() => turn(store, 0).following === "lost");
  service.instead = null;
  service.say("r1", rest);
  service.service.window.dispatchEvent(new Event("online"));
  await until(() => turn(store, 0).following === "read");

  const { service: other, store: unbroken } = await opened();
  other.add("Go", "tool-then-answer");
  await unbroken.load();
  unbroken.follow("r1");
  await until(() => turn(unbroken, 0).following === "read");
  expect(turn(store, 0).run.answer).toEqual(turn(unbroken, 0).run.answer);
  expect(turn(store, 0).run.items.map((item) => item.key)).toEqual(turn(unbroken, 0).run.items.map((item) => item.key));
});

test("a question shows before the service has it, and keeps its key when it has", async () => {
  const { service, store } = await opened();
  await store.load();
  const asking = store.ask("Why?");
  const { key } = turn(store, 0);
  expect(turn(store, 0)).toMatchObject({ runId: null, question: "Why?", state: "running" });
  expect(store.state.getState().activeKey).toBe(key);
  await asking;
  expect(turn(store, 0)).toMatchObject({ key, runId: "r1" });
  await store.load();
  expect(turns(store).map((one) => one.key)).toEqual([key]);
  service.say("r1", recordedText("plain-answer"));
  await until(() => turn(store, 0).following === "read");
  expect(turn(store, 0).key).toBe(key);
});

test("a question that is in the service's list before its answer came is there once", async () => {
  const { service, store } = await opened();
  await store.load();
  let answer = () => undefined as unknown;
  service.instead = (asked, response) => {
    if (asked.method !== "POST") return false;
    service.add("Why?");
    answer = () => sendJson(response, 202, { run_id: "r1", events: "" });
    return true;
  };
  const asking = store.ask("Why?");
  await until(() => service.asked.some((path) => path.startsWith("POST")));
  await store.load();
  answer();
  await asking;
  expect(turns(store)).toHaveLength(1);
});

test("a question that cannot be sent is taken back, with what went wrong", async () => {
  const { service, store } = await opened();
  service.add("Before", "plain-answer");
  await store.load();
  const before = turns(store);
  service.instead = (asked, response) => {
    if (asked.method === "POST") response.destroy();
    return asked.method === "POST";
  };
  await expect(store.ask("Why?")).rejects.toBeInstanceOf(Unreachable);
  expect(turns(store)).toEqual(before);
});

test("when somebody else has begun a run, it is shown", async () => {
  const { service, store } = await opened();
  await store.load();
  service.add("From another tab");
  service.instead = (asked, response) => {
    if (asked.method === "POST") sendProblem(response, 409, "This conversation has a run.");
    return asked.method === "POST";
  };
  await expect(store.ask("Why?")).rejects.toMatchObject({ status: 409 });
  await until(() => turns(store).length === 1);
  expect(turn(store, 0).question).toBe("From another tab");
});

test("a question may take the place of the last one, and gives it back when it cannot", async () => {
  const { service, store } = await opened();
  service.add("First", "plain-answer");
  service.add("Second", "plain-answer");
  await store.load();
  service.instead = (asked, response) => {
    if (asked.method === "POST") response.destroy();
    return asked.method === "POST";
  };
  const failing = store.ask("Better", { replaces: "r2" });
  expect(turns(store).map((one) => one.question)).toEqual(["First", "Better"]);
  await expect(failing).rejects.toBeInstanceOf(Unreachable);
  expect(turns(store).map((one) => one.question)).toEqual(["First", "Second"]);

  service.instead = null;
  await store.ask("Better", { replaces: "r2" });
  expect(service.service.asked.at(-1)?.path ?? "").not.toBe("");
  expect(turns(store).map((one) => one.question)).toEqual(["First", "Better"]);
  await store.load();
  expect(turns(store).map((one) => one.question)).toEqual(["First", "Better"]);
});

test("what came too late begins the next turn, which is looked for", async () => {
  const { service, store } = await opened();
  service.add("Go");
  await store.load();
  service.say("r1", recordedText("interrupt-during-the-answer"));
  await until(() => turn(store, 0).following === "read");
  service.add("And bowls?"); // the service begins it a moment after the end of the first
  await until(() => turns(store).length === 2);
  expect(turn(store, 1)).toMatchObject({ question: "And bowls?", state: "running" });
});

test("a message to a run that has ended is the next turn", async () => {
  const { service, store } = await opened();
  service.add("Go", "plain-answer");
  await store.load();
  service.instead = (asked, response) => {
    if (!asked.path.endsWith("/interrupts")) return false;
    const id = service.add("More");
    sendJson(response, 202, { id, delivery: "next_turn", run_id: id });
    return true;
  };
  expect(await store.interrupt("More")).toMatchObject({ delivery: "next_turn" });
  await until(() => turns(store).length === 2);
});

test("a message or a stop while the question is on its way waits for its run", async () => {
  const { service, store } = await opened();
  await store.load();
  service.instead = (asked, response) => {
    if (asked.path.endsWith("/interrupts")) sendJson(response, 202, { id: "int_1", delivery: "run", run_id: "r1" });
    else if (asked.path.endsWith("/stop")) sendJson(response, 202, {});
    else return false;
    return true;
  };
  void store.ask("Why?");
  await Promise.all([store.interrupt("Be quick."), store.stop()]);
  expect(service.asked).toContain("POST /api/runs/r1/interrupts");
  expect(service.asked).toContain("POST /api/runs/r1/stop");
  expect(turn(store, 0).ending).toBe("stop");
});

test("a stop that was not heard is not shown as one", async () => {
  const { service, store } = await opened();
  service.add("Go");
  await store.load();
  service.instead = (asked, response) => {
    if (asked.path.endsWith("/stop")) sendProblem(response, 409, "It is at work elsewhere.");
    return asked.path.endsWith("/stop");
  };
  const stopping = store.stop();
  await Promise.resolve();
  await expect(stopping).rejects.toMatchObject({ status: 409 });
  expect(turn(store, 0).ending).toBeNull();
});

test("a conversation that is not there is missing, one that cannot be had failed, one that was there stays", async () => {
  const { service, store } = await opened();
  service.instead = (_, response) => {
    sendProblem(response, 503, "Later.");
    return true;
  };
  await store.load();
  expect(store.state.getState().load).toBe("failed");
  service.instead = null;
  await store.load();
  expect(store.state.getState().load).toBe("ready");
  service.instead = (_, response) => {
    response.destroy();
    return true;
  };
  await store.load();
  expect(store.state.getState().load).toBe("ready");
  service.instead = (_, response) => {
    sendProblem(response, 404, "There is no conversation.");
    return true;
  };
  await store.load();
  expect(store.state.getState().load).toBe("missing");
});

test("a run that is over is shown once it is here as a whole, also when the connection broke in between", async () => {
  const { service, store } = await opened();
  service.add("Go", "compaction");
  await store.load();
  const [first] = halves("compaction", 20);
  service.instead = (_, response) => {
    beginEvents(response);
    response.write(first, () => response.destroy());
    service.instead = noEvents;
    return true;
  };
  const seen = new Set<number>();
  store.state.subscribe((thread) => seen.add(thread.turns.get("r1")?.run.lastEvent ?? -1));
  store.follow("r1");
  await until(() => turn(store, 0).following === "lost");
  service.instead = null;
  service.service.window.dispatchEvent(new Event("online"));
  await until(() => turn(store, 0).following === "read");
  expect([...seen]).toEqual([0, 41]);
});

test("the events of one frame make one change", async () => {
  const { service, store } = await opened();
  service.add("Go");
  await store.load();
  await until(() => turn(store, 0).following === "reading");
  const seen: number[] = [];
  store.state.subscribe((thread) => seen.push(thread.turns.get("r1")?.run.lastEvent ?? -1));
  service.say("r1", recordedText("compaction"));
  await until(() => turn(store, 0).following === "read");
  expect(seen.length).toBeLessThan(6); // 41 events
});

test("closing ends everything", async () => {
  const { service, store } = await opened();
  service.add("Go");
  await store.load();
  await until(() => turn(store, 0).following === "reading");
  store.close();
  await until(() => turn(store, 0).following === "failed");
});
