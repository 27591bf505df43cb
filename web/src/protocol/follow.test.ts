// @vitest-environment node
import type { ServerResponse } from "node:http";
import { afterEach, expect, test, vi } from "vitest";
import { type Answering, beginEvents, fakeService, sendProblem } from "../testing/fake-service";
import { until } from "../testing/until";
import { type FollowOptions, followRun } from "./follow";
import { keyStore, setKey } from "./key";
import type { LogEvent } from "./log-event";
import { ApiError } from "./request";

afterEach(() => setKey(""));

function frame(id: number, content = `piece ${id}`): string {
  return `id: ${id}\nevent: answer\ndata: ${JSON.stringify({ status: "delta", content })}\n\n`;
}

const DONE = 'event: done\ndata: {"answer": ""}\n\n';

/** Answers the first request with the first of these, and so on; the last one again and again. */
function inTurn(...answers: readonly ((response: ServerResponse) => void)[]): Answering {
  let count = 0;
  return (_, response) => {
    answers[Math.min(count, answers.length - 1)]?.(response);
    count += 1;
  };
}

function sending(...pieces: readonly string[]): (response: ServerResponse) => void {
  return (response) => {
    beginEvents(response);
    for (const piece of pieces) response.write(piece);
    response.end();
  };
}

function following(options: Partial<FollowOptions> = {}) {
  const got: (number | null)[] = [];
  const batches: LogEvent[][] = [];
  const follower = {
    onEvents(events: readonly LogEvent[]) {
      batches.push([...events]);
      got.push(...events.map((event) => event.id));
    },
    onLost: vi.fn(),
    onFound: vi.fn(),
  };
  const controller = new AbortController();
  const ended = followRun("r1", follower, { after: 0, signal: controller.signal, firstWait: 1, ...options });
  ended.catch(() => undefined);
  return { got, batches, lost: follower.onLost, found: follower.onFound, ended, controller };
}

test("a run is followed to its end", async () => {
  const { asked } = await fakeService(inTurn(sending(frame(1), frame(2), `id: 3\n${DONE}`)));
  const { got, ended, lost } = following();
  await ended;
  expect(got).toEqual([1, 2, 3]);
  expect(lost).not.toHaveBeenCalled();
  expect(asked).toHaveLength(1);
  expect(asked[0]?.headers["last-event-id"]).toBeUndefined();
});

test("after a broken connection exactly the rest is asked for", async () => {
  const { asked } = await fakeService(
    inTurn(
      (response) => {
        beginEvents(response);
        response.write(`${frame(1)}${frame(2)}id: 3\ndata: {"half`, () => response.destroy());
      },
      (response) => response.destroy(),
      sending(frame(3)),
      sending(`id: 4\n${DONE}`),
    ),
  );
  const { got, ended, lost, found } = following();
  await ended;
  expect(got).toEqual([1, 2, 3, 4]);
  expect(lost).toHaveBeenCalledTimes(1); // the other times it was there again at once
  expect(found).toHaveBeenCalledTimes(3);
  expect(asked.map((one) => one.headers["last-event-id"])).toEqual([undefined, "2", "2", "3"]);
});

test("a connection that was good for long may end without a word", async () => {
  const { asked } = await fakeService(inTurn(beginEvents, beginEvents, sending(`id: 1\n${DONE}`)));
  const { ended, lost, found } = following();
  let now = Date.now();
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now);
  for (const connections of [1, 2]) {
    await until(() => found.mock.calls.length === connections);
    now += 60_000;
    asked.at(-1)?.close();
  }
  await ended;
  clock.mockRestore();
  expect(lost).not.toHaveBeenCalled();
});

test("a service that only ever ends connections is asked less and less often", async () => {
  const { asked } = await fakeService(inTurn(sending()));
  const { lost, controller } = following({ firstWait: 20 });
  await until(() => lost.mock.calls.length === 3);
  expect(asked).toHaveLength(3);
  controller.abort();
});

test("what is here already is not asked for", async () => {
  const { asked } = await fakeService(inTurn(sending(frame(8), `id: 9\n${DONE}`)));
  const { got, ended } = following({ after: 7 });
  await ended;
  expect(got).toEqual([8, 9]);
  expect(asked[0]?.headers["last-event-id"]).toBe("7");
});

test("after a reset the numbers begin anew", async () => {
  const { asked } = await fakeService(
    inTurn(sending("event: reset\ndata: {}\n\n", frame(1)), sending(`id: 2\n${DONE}`)),
  );
  const { got, ended } = following({ after: 50 });
  await ended;
  expect(got).toEqual([null, 1, 2]);
  expect(asked.map((one) => one.headers["last-event-id"])).toEqual(["50", "1"]);
});

test("the events of one piece of the stream come together", async () => {
  await fakeService(inTurn(sending(`${frame(1)}${frame(2)}${frame(3)}id: 4\n${DONE}`)));
  const { batches, ended } = following();
  await ended;
  expect(batches.map((batch) => batch.length)).toEqual([4]);
});

test("a letter that was cut within its bytes is read as one", async () => {
  const bytes = Buffer.from(`${frame(1, "茶")}id: 2\n${DONE}`);
  const within = bytes.indexOf(Buffer.from("茶")) + 1;
  await fakeService((_, response) => {
    beginEvents(response);
    response.write(bytes.subarray(0, within), () => setTimeout(() => response.end(bytes.subarray(within)), 20));
  });
  const { batches, ended } = following();
  await ended;
  expect(batches.flat()[0]).toMatchObject({ data: { content: "茶" } });
});

test("a run that is not there is not sought for ever", async () => {
  const { asked } = await fakeService((_, response) => sendProblem(response, 404, "There is no run."));
  await expect(following().ended).rejects.toBeInstanceOf(ApiError);
  expect(asked).toHaveLength(1);
});

test("a service that has trouble is asked again", async () => {
  await fakeService(
    inTurn(
      (response) => sendProblem(response, 503, "Later."),
      (response) => sendProblem(response, 429, "Slower."),
      sending(`id: 1\n${DONE}`),
    ),
  );
  const { got, ended } = following();
  await ended;
  expect(got).toEqual([1]);
});

test("without a key it waits for one", async () => {
  const { asked } = await fakeService((one, response) => {
    if (one.headers.authorization === "Bearer good") sending(`id: 1\n${DONE}`)(response);
    else sendProblem(response, 401, "A key, please.");
  });
  const { got, ended } = following();
  await until(() => keyStore.getState().wanted);
  setKey("bad");
  await until(() => keyStore.getState().wanted);
  setKey("good");
  await ended;
  expect(got).toEqual([1]);
  expect(asked).toHaveLength(3);
});

test.each([
  ["online", "window"],
  ["visibilitychange", "document"],
] as const)("%s ends a long wait", async (event, target) => {
  const service = await fakeService(inTurn((response) => response.destroy(), sending(`id: 1\n${DONE}`)));
  const { ended, lost } = following({ firstWait: 1_000_000 });
  await until(() => lost.mock.calls.length === 1);
  service[target].dispatchEvent(new Event(event));
  await ended;
});

test("a page that nobody looks at does not hurry", async () => {
  const service = await fakeService(inTurn((response) => response.destroy()));
  const { lost, controller } = following({ firstWait: 1_000_000 });
  await until(() => lost.mock.calls.length === 1);
  service.document.visibilityState = "hidden";
  service.document.dispatchEvent(new Event("visibilitychange"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(service.asked).toHaveLength(1);
  controller.abort();
});

test("a connection that fell silent is given up when the person comes back", async () => {
  const service = await fakeService(
    inTurn(
      (response) => {
        beginEvents(response);
        response.write(frame(1));
      },
      sending(`id: 2\n${DONE}`),
    ),
  );
  const { got, ended } = following();
  await until(() => got.length === 1);
  service.document.dispatchEvent(new Event("visibilitychange")); // not silent for long: nothing happens
  vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
  service.document.dispatchEvent(new Event("visibilitychange"));
  await ended;
  expect(got).toEqual([1, 2]);
});

test.each([
  ["while it is open", beginEvents],
  ["while it waits", (response: ServerResponse) => response.destroy()],
  ["while a key is wanted", (response: ServerResponse) => sendProblem(response, 401, "A key, please.")],
])("who does not want to follow any more is heard at once: %s", async (_, answer) => {
  const service = await fakeService(inTurn(answer));
  const { ended, controller } = following({ firstWait: 1_000_000 });
  await until(() => service.asked.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 10));
  controller.abort(new Error("enough"));
  await expect(ended).rejects.toThrow("enough");
});

test.each([
  ["the same", 0, 40_000],
  ["an hour behind", 3_600_000, 40_000],
  ["an hour ahead", -3_600_000, 40_000],
])(
  "a tool that started before somebody looked has run as long as it has; the service's clock is %s",
  async (_, ahead, ago) => {
    const now = Date.now();
    const data = { type: "iteration", status: "start", iteration: 1, call_id: "a", tool_name: "wait", tool_args: {} };
    const started = JSON.stringify({ ...data, started_at: (now - ahead - ago) / 1000 });
    await fakeService((_, response) => {
      response.setHeader("Date", new Date(now - ahead).toUTCString());
      sending(`id: 1\nevent: step\ndata: ${started}\n\n`, `id: 2\n${DONE}`)(response);
    });
    const { batches, ended } = following();
    await ended;
    const at = batches.flat()[0]?.at ?? 0;
    expect(Math.abs(now - ago - at)).toBeLessThan(10_000);
  },
);
