/** A service with one conversation, whose runs do what the test says. */

import type { ServerResponse } from "node:http";
import type { RunState, WholeConversation } from "../protocol/api";
import { type Asked, beginEvents, type FakeService, fakeService, sendJson, sendProblem } from "./fake-service";
import { recordedText } from "./recordings";

interface FakeRun {
  state: RunState;
  text: string;
  readers: ServerResponse[];
}

export class FakeConversation {
  readonly id = "c1";
  service!: FakeService;
  /** Answers instead of the conversation, when it is there. */
  instead: ((asked: Asked, response: ServerResponse) => boolean) | null = null;
  readonly #runs = new Map<string, FakeRun>();

  static async serve(): Promise<FakeConversation> {
    const conversation = new FakeConversation();
    conversation.service = await fakeService((asked, response) => conversation.#answer(asked, response));
    return conversation;
  }

  /** Begin a run, or let one be there that has ended, with the events of a recording. */
  add(query: string, recording: string | null = null): string {
    const id = `r${this.#runs.size + 1}`;
    this.#runs.set(id, {
      state: {
        id,
        conversation_id: this.id,
        query,
        agent: null,
        model: null,
        status: recording === null ? "running" : "finished",
        created_at: "2026-01-02T03:04:05Z",
        ended_at: null,
      },
      text: recording === null ? "" : recordedText(recording),
      readers: [],
    });
    return id;
  }

  /** Have a run say so much more of a recording. */
  say(id: string, text: string): void {
    const run = this.#run(id);
    run.text += text;
    for (const reader of run.readers) reader.write(text);
    if (text.includes("event: done")) this.#end(run);
  }

  /** Let every connection break. */
  breakConnections(): void {
    for (const run of this.#runs.values()) for (const reader of run.readers.splice(0)) reader.destroy();
  }

  /** What was asked for, as "METHOD path". */
  get asked(): string[] {
    return this.service.asked.map((one) => `${one.method} ${one.path}`);
  }

  #run(id: string): FakeRun {
    const run = this.#runs.get(id);
    if (run === undefined) throw new Error(`There is no run ${id}.`);
    return run;
  }

  #end(run: FakeRun): void {
    run.state = { ...run.state, status: "finished" };
    for (const reader of run.readers.splice(0)) reader.end();
  }

  #answer(asked: Asked, response: ServerResponse): void {
    if (this.instead?.(asked, response) === true) return;
    const events = /^\/api\/runs\/(\w+)\/events$/.exec(asked.path);
    if (events !== null) this.#events(events[1] ?? "", Number(asked.headers["last-event-id"] ?? 0), response);
    else if (asked.path === "/api/conversations/c1") sendJson(response, 200, this.#whole());
    else if (asked.path === "/api/conversations/c1/runs") this.#start(asked.body, response);
    else sendProblem(response, 404, "There is nothing at this address.");
  }

  #start(body: unknown, response: ServerResponse): void {
    const { query, replaces } = body as { query: string; replaces?: string };
    const id = this.add(query);
    if (replaces !== undefined) this.#runs.delete(replaces);
    sendJson(response, 202, { run_id: id, events: `/api/runs/${id}/events` });
  }

  #events(id: string, after: number, response: ServerResponse): void {
    const run = this.#runs.get(id);
    if (run === undefined) {
      sendProblem(response, 404, "There is no run.");
      return;
    }
    beginEvents(response);
    const rest = run.text.slice(after === 0 ? 0 : run.text.indexOf(`id: ${after + 1}\n`));
    response.write(after > 0 && !run.text.includes(`id: ${after + 1}\n`) ? ":\n" : rest);
    if (run.state.status === "running") run.readers.push(response);
    else response.end();
  }

  #whole(): WholeConversation {
    return {
      id: this.id,
      title: "Cups",
      created_at: "2026-01-02T03:04:05Z",
      updated_at: "2026-01-02T03:04:05Z",
      messages: [],
      runs: [...this.#runs.values()].map((run) => run.state),
    };
  }
}
