/** A service without a network, for tests of what a page shows: each request is answered by a function. */

import { vi } from "vitest";
import type { RunState, WholeConversation } from "../protocol/api";
import { recordedText } from "./recordings";

export type Answer = (method: string, path: string) => Response | undefined;

/** Answer what the page asks for; what `answer` does not know is not there. */
export function answerFetch(answer: Answer): void {
  vi.stubGlobal("fetch", async (address: URL | string, options: RequestInit = {}) => {
    const { pathname, search } = new URL(address);
    const found = answer(options.method ?? "GET", pathname + search);
    return found ?? json({ type: "about:blank", title: "Not Found", status: 404, detail: "It is not there." }, 404);
  });
}

export function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json" } });
}

/** A conversation with one run, which has ended and is told by a recording, or is at work and says nothing. */
export function oneRun(title: string, recording: string | null): Answer {
  const moment = "2026-01-02T03:04:05Z";
  const run: RunState = {
    id: "r1",
    conversation_id: "c1",
    query: "What is a cup?",
    agent: null,
    model: null,
    status: recording === null ? "running" : "finished",
    created_at: moment,
    ended_at: null,
  };
  const whole: WholeConversation = {
    id: "c1",
    title,
    created_at: moment,
    updated_at: moment,
    messages: [],
    runs: [run],
  };
  const events = () =>
    new Response(recording === null ? new ReadableStream() : recordedText(recording), {
      headers: { "Content-Type": "text/event-stream" },
    });
  return (_, path) => {
    if (path === "/api/conversations/c1") return json(whole);
    if (path === "/api/runs/r1/events") return events();
    if (path.startsWith("/api/conversations?")) return json({ conversations: [whole], next: null });
    if (path === "/api/models") return json({ models: [], agents: [] });
    return undefined;
  };
}
