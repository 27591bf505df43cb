// @vitest-environment node
import { expect, test, vi } from "vitest";
import { fakeService, sendJson, sendProblem } from "../testing/fake-service";
import { until } from "../testing/until";
import { ConversationStores } from "./stores";

const CONVERSATION = {
  id: "c1",
  title: "Cups",
  created_at: "2026-01-02T03:04:05Z",
  updated_at: "2026-01-02T03:04:05Z",
};

test("a conversation begins with its question, which shows at once", async () => {
  const { asked } = await fakeService((one, response) => {
    if (one.path === "/api/conversations") sendJson(response, 201, CONVERSATION);
    else if (one.path.endsWith("/runs")) sendJson(response, 202, { run_id: "r1", events: "" });
    else sendProblem(response, 404, "There is no run.");
  });
  const stores = new ConversationStores();
  const changed = vi.fn();
  stores.onListChanged(changed);
  expect(await stores.begin("What is a cup?", { agent: "helper" })).toBe("c1");
  const { load, order, turns } = stores.get("c1").state.getState();
  expect(load).toBe("ready");
  expect(turns.get(order[0] ?? "")).toMatchObject({ question: "What is a cup?", runId: "r1" });
  expect(asked[1]?.body).toEqual({ query: "What is a cup?", model: null, agent: "helper" });
  expect(changed).toHaveBeenCalled();
  stores.close("c1");
});

test("a conversation whose first question is refused is not left behind", async () => {
  const { asked } = await fakeService((one, response) => {
    if (one.path === "/api/conversations") sendJson(response, 201, CONVERSATION);
    else if (one.method === "DELETE") response.writeHead(204).end();
    else sendProblem(response, 422, "there is no agent 'x'.");
  });
  await expect(new ConversationStores().begin("Why?", { agent: "x" })).rejects.toMatchObject({ status: 422 });
  await until(() => asked.some((one) => one.method === "DELETE" && one.path === "/api/conversations/c1"));
});

test("the last few conversations stay open, the oldest is closed", () => {
  const stores = new ConversationStores();
  const first = stores.get("c1");
  for (const id of ["c2", "c3", "c4"]) stores.get(id);
  expect(stores.get("c1")).toBe(first);
  stores.get("c5");
  expect(stores.get("c1")).toBe(first);
  for (const id of ["c6", "c7", "c8", "c9"]) stores.get(id);
  expect(stores.get("c1")).not.toBe(first);
});

test("other tabs hear of a change, and ask again for a conversation that is open there", async () => {
  const { asked } = await fakeService((_, response) =>
    sendJson(response, 200, { ...CONVERSATION, messages: [], runs: [] }),
  );
  const here = new ConversationStores();
  const there = new ConversationStores();
  const [heardHere, heardThere] = [vi.fn(), vi.fn()];
  here.onListChanged(heardHere);
  const leave = there.onListChanged(heardThere);
  const open = there.get("shared");
  here.changed("shared");
  here.changed("c2");
  await until(() => heardThere.mock.calls.length === 2 && open.state.getState().load === "ready");
  expect(heardHere).toHaveBeenCalledTimes(2);
  expect(asked.map((one) => one.path)).toEqual(["/api/conversations/shared"]);
  leave();
  here.changed("c3");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(heardThere).toHaveBeenCalledTimes(2);
});
