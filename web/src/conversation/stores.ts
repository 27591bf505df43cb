/** The conversations that are open: one store each, and the last few that were open, so that going back is instant. */

import { createConversation, deleteConversation } from "../protocol/client";
import { type AskOptions, ConversationStore } from "./store";
import type { Thread } from "./thread";

const MOST = 4;

export class ConversationStores {
  readonly #stores = new Map<string, ConversationStore>();
  readonly #listeners = new Set<() => void>();
  /** To the page in other tabs: which conversation is no longer what it was. */
  readonly #others = new BroadcastChannel("actloop.changed");

  constructor() {
    this.#others.addEventListener("message", ({ data: id }: MessageEvent<string>) => {
      void this.reload(id);
      this.#tellListeners();
    });
  }

  /** The store of a conversation; it is not loaded by this. */
  get(id: string): ConversationStore {
    const store = this.#stores.get(id) ?? new ConversationStore(id, () => this.changed(id));
    this.#stores.delete(id);
    this.#stores.set(id, store);
    const [oldest] = this.#stores.keys();
    if (this.#stores.size > MOST && oldest !== undefined) this.close(oldest);
    return store;
  }

  /** Ask the service again for a conversation, if it is open. */
  async reload(id: string): Promise<void> {
    await this.#stores.get(id)?.load();
  }

  /** Forget a conversation, for example since it was deleted. */
  close(id: string): void {
    this.#stores.get(id)?.close();
    this.#stores.delete(id);
  }

  /** Begin a conversation with a question; returns its id. When the question cannot be sent, none is left behind. */
  async begin(question: string, options: AskOptions = {}): Promise<string> {
    const { id } = await createConversation();
    const store = this.get(id);
    store.state.setState({ load: "ready" } satisfies Partial<Thread>);
    try {
      await store.ask(question, options);
    } catch (error) {
      this.close(id);
      await deleteConversation(id).catch(() => undefined); // the first error is the one to tell
      throw error;
    }
    return id;
  }

  /** Have `listener` called when the list of conversations is no longer what it was. */
  onListChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A conversation began, went on, ended a run, got another name or was deleted: tell everybody, also other tabs. */
  changed(id: string): void {
    this.#tellListeners();
    this.#others.postMessage(id);
  }

  #tellListeners(): void {
    for (const listener of this.#listeners) listener();
  }
}
