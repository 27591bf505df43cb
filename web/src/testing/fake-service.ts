/** A real HTTP server in the test, for what happens on the network. Use it in the environment `node`. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished, vi } from "vitest";

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
  /** End the connection. */
  close(): void;
}

export type Answering = (asked: Asked, response: ServerResponse) => void;

export interface FakeService {
  /** What was asked, in order. */
  readonly asked: Asked[];
  /** What a browser has, and Node has not. */
  readonly document: EventTarget & { visibilityState: DocumentVisibilityState };
  readonly window: EventTarget;
}

/** Serve until the test ends; requests of the page go there meanwhile. */
export async function fakeService(answer: Answering): Promise<FakeService> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      const one: Asked = {
        method: request.method ?? "",
        path: request.url ?? "",
        headers: request.headers,
        body: body === "" ? null : JSON.parse(body),
        close: () => response.destroy(),
      };
      asked.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });

  const document = Object.assign(new EventTarget(), { visibilityState: "visible" as DocumentVisibilityState });
  const window = new EventTarget();
  vi.stubGlobal("requestAnimationFrame", (work: () => void) => setTimeout(work, 1));
  vi.stubGlobal("cancelAnimationFrame", clearTimeout);
  vi.stubGlobal("location", { href: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` });
  vi.stubGlobal("document", document);
  vi.stubGlobal("addEventListener", window.addEventListener.bind(window));
  vi.stubGlobal("removeEventListener", window.removeEventListener.bind(window));
  return { asked, document, window };
}

/** Answer with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": status < 400 ? "application/json" : "application/problem+json" });
  response.end(JSON.stringify(body));
}

/** Answer with a problem, as the service says it. */
export function sendProblem(response: ServerResponse, status: number, detail: string): void {
  sendJson(response, status, { type: "about:blank", title: `Status ${status}`, status, detail });
}

/** Begin to answer with events. */
export function beginEvents(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.flushHeaders();
}
