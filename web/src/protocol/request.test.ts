// @vitest-environment node
import { expect, test } from "vitest";
import { fakeService, sendJson, sendProblem } from "../testing/fake-service";
import { deleteConversation, listConversations, startRun } from "./client";
import { keyStore, setKey } from "./key";
import { ApiError, request, requestJson, Unreachable } from "./request";

test("what is asked goes out as the service reads it", async () => {
  const { asked } = await fakeService((_, response) => sendJson(response, 200, { conversations: [], next: null }));
  await listConversations({ q: "50 % & more", limit: 5 });
  await startRun("c/1", { query: "Why?", model: null });
  expect(asked).toMatchObject([
    { method: "GET", path: "/api/conversations?q=50+%25+%26+more&limit=5", body: null },
    { method: "POST", path: "/api/conversations/c%2F1/runs", body: { query: "Why?", model: null } },
  ]);
  expect(asked[0]?.headers.authorization).toBeUndefined();
});

test("a success without a body is one", async () => {
  await fakeService((_, response) => response.writeHead(204).end());
  await expect(deleteConversation("c1")).resolves.toBeUndefined();
});

test("a problem is told with its status and its sentence", async () => {
  await fakeService((_, response) => sendProblem(response, 409, "This conversation has a run."));
  const error = await request("POST", "/api/x", { body: {} }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 409, title: "Status 409", detail: "This conversation has a run." });
});

test("an error that is no problem document is told by its status", async () => {
  await fakeService((_, response) => response.writeHead(502, "Bad Gateway").end("<html>"));
  await expect(request("GET", "/api/x")).rejects.toMatchObject({ status: 502, title: "Bad Gateway", detail: "" });
});

test("no answer is not an answer", async () => {
  await fakeService((_, response) => response.destroy());
  await expect(request("GET", "/api/x")).rejects.toBeInstanceOf(Unreachable);
});

test("an answer that breaks off is not an answer", async () => {
  await fakeService((_, response) => {
    response.writeHead(200, { "Content-Length": "100" });
    response.write('{"a":', () => response.destroy());
  });
  await expect(requestJson("GET", "/api/x")).rejects.toBeInstanceOf(Unreachable);
});

test("who gives up is told their own reason", async () => {
  await fakeService(() => undefined);
  const giveUp = new AbortController();
  const asking = request("GET", "/api/x", { signal: giveUp.signal });
  giveUp.abort(new Error("enough"));
  await expect(asking).rejects.toThrow("enough");
});

test("a key is wanted when the service says so, and sent once it is there", async () => {
  const { asked } = await fakeService((one, response) => {
    if (one.headers.authorization === "Bearer secret") sendJson(response, 200, {});
    else sendProblem(response, 401, "A key, please.");
  });
  await expect(request("GET", "/api/x")).rejects.toMatchObject({ status: 401 });
  expect(keyStore.getState().wanted).toBe(true);
  setKey(" secret\n");
  expect(keyStore.getState()).toEqual({ key: "secret", wanted: false });
  await request("GET", "/api/x");
  expect(asked).toHaveLength(2);
  setKey("");
});

test("a key that no header can hold is one that the service does not know", async () => {
  await fakeService((_, response) => sendProblem(response, 401, "Another key, please."));
  setKey("ключ\u0007");
  await expect(request("GET", "/api/x")).rejects.toMatchObject({ status: 401 });
  expect(keyStore.getState().wanted).toBe(true);
  setKey("");
});
