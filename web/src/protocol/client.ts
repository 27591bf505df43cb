/** What the page asks of the service: one function for each request. Errors are those of `request`. */

import type {
  ConversationPage,
  ConversationState,
  InterruptDelivery,
  Models,
  NewRun,
  RunState,
  Started,
  WholeConversation,
} from "./api";
import { request, requestJson } from "./request";

type Signal = AbortSignal | undefined;

/** `q`: only those with this text in their title or in a question. `before`: the `next` of an earlier page. */
export interface ConversationQuery {
  readonly q?: string;
  readonly before?: string;
  readonly limit?: number;
}

export function listConversations(query: ConversationQuery = {}, signal?: Signal): Promise<ConversationPage> {
  return requestJson("GET", "/api/conversations", { query: { ...query }, signal });
}

export function createConversation(signal?: Signal): Promise<ConversationState> {
  return requestJson("POST", "/api/conversations", { body: {}, signal });
}

export function getConversation(id: string, signal?: Signal): Promise<WholeConversation> {
  return requestJson("GET", `/api/conversations/${encodeURIComponent(id)}`, { signal });
}

export function renameConversation(id: string, title: string, signal?: Signal): Promise<ConversationState> {
  return requestJson("PATCH", `/api/conversations/${encodeURIComponent(id)}`, { body: { title }, signal });
}

export async function deleteConversation(id: string, signal?: Signal): Promise<void> {
  await request("DELETE", `/api/conversations/${encodeURIComponent(id)}`, { signal });
}

export function startRun(conversationId: string, run: NewRun, signal?: Signal): Promise<Started> {
  return requestJson("POST", `/api/conversations/${encodeURIComponent(conversationId)}/runs`, { body: run, signal });
}

/** The response whose body is the run's events after number `after`, as server-sent events. */
export function openEvents(runId: string, after: number, signal?: Signal): Promise<Response> {
  const headers = { Accept: "text/event-stream", ...(after > 0 && { "Last-Event-ID": String(after) }) };
  return request("GET", `${runPath(runId)}/events`, { headers, signal });
}

export function sendInterrupt(runId: string, content: string, signal?: Signal): Promise<InterruptDelivery> {
  return requestJson("POST", `${runPath(runId)}/interrupts`, { body: { content }, signal });
}

export async function editInterrupt(runId: string, id: string, content: string, signal?: Signal): Promise<void> {
  await request("PATCH", `${runPath(runId)}/interrupts/${encodeURIComponent(id)}`, { body: { content }, signal });
}

export async function takeBackInterrupt(runId: string, id: string, signal?: Signal): Promise<void> {
  await request("DELETE", `${runPath(runId)}/interrupts/${encodeURIComponent(id)}`, { signal });
}

/** Let running tools finish, then answer. */
export function stopRun(runId: string, signal?: Signal): Promise<RunState> {
  return requestJson("POST", `${runPath(runId)}/stop`, { signal });
}

/** End a run at once. */
export function cancelRun(runId: string, signal?: Signal): Promise<RunState> {
  return requestJson("POST", `${runPath(runId)}/cancel`, { signal });
}

/** End one tool call; the run goes on. */
export function cancelCall(runId: string, callId: string, signal?: Signal): Promise<RunState> {
  return requestJson("POST", `${runPath(runId)}/calls/${encodeURIComponent(callId)}/cancel`, { signal });
}

export function listModels(signal?: Signal): Promise<Models> {
  return requestJson("GET", "/api/models", { signal });
}

/** The content of something a tool made. */
export async function fetchArtifact(id: string, signal?: Signal): Promise<Blob> {
  return (await request("GET", `/api/artifacts/${encodeURIComponent(id)}`, { signal })).blob();
}

function runPath(runId: string): string {
  return `/api/runs/${encodeURIComponent(runId)}`;
}
