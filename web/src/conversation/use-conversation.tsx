/** The conversation's store in React: components select what they show, and render when that changes. */

import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { useStore } from "zustand";
import { keyStore } from "../protocol/key";
import { onWake } from "../protocol/wake";
import type { Turn } from "./conversation";
import type { AskOptions, ConversationStore } from "./store";
import { ConversationStores } from "./stores";
import type { Thread } from "./thread";

const StoresContext = createContext<ConversationStores | null>(null);
const StoreContext = createContext<ConversationStore | null>(null);

/** Around the whole page: the conversations that are open. */
export function ConversationStoresProvider(props: { stores?: ConversationStores; children: ReactNode }) {
  const [stores] = useState(() => props.stores ?? new ConversationStores());
  return <StoresContext value={stores}>{props.children}</StoresContext>;
}

/** Around one conversation, which is loaded, and again whenever the person comes back to the page. */
export function ConversationProvider({ id, children }: { id: string; children: ReactNode }) {
  const store = useConversationStores().get(id);
  useEffect(() => {
    const load = () => void store.load();
    load();
    const leave = onWake(load);
    const leaveKey = keyStore.subscribe((now) => now.wanted || load());
    addEventListener("focus", load);
    return () => {
      leave();
      leaveKey();
      removeEventListener("focus", load);
    };
  }, [store]);
  return <StoreContext value={store}>{children}</StoreContext>;
}

export function useConversationStores(): ConversationStores {
  const stores = useContext(StoresContext);
  if (stores === null) throw new Error("There is no ConversationStoresProvider around this.");
  return stores;
}

function useConversationStore(): ConversationStore {
  const store = useContext(StoreContext);
  if (store === null) throw new Error("There is no ConversationProvider around this.");
  return store;
}

/** What `select` finds in the conversation; it must give the same object as long as nothing changed. */
export function useConversation<Selected>(select: (thread: Thread) => Selected): Selected {
  return useStore(useConversationStore().state, select);
}

/** The keys of the turns, in order. */
export function useTurnKeys(): readonly string[] {
  return useConversation((thread) => thread.order);
}

/** A turn; undefined when it is not there (any more). */
export function useTurn(key: string): Turn | undefined {
  return useConversation((thread) => thread.turns.get(key));
}

/** The turn at work, null when none is. */
export function useActiveTurn(): Turn | null {
  return useConversation((thread) => thread.turns.get(thread.activeKey ?? "") ?? null);
}

/** Have a turn's events here while the component is there. */
export function useFollow(key: string): void {
  const store = useConversationStore();
  const unread = useConversation((thread) => thread.turns.get(key)?.following === "unread");
  useEffect(() => (unread ? store.follow(key) : undefined), [store, key, unread]);
}

/** What a person can do in the conversation. All of it throws `ApiError` and `Unreachable`. */
export type ConversationActions = Pick<
  ConversationStore,
  "load" | "follow" | "ask" | "interrupt" | "editInterrupt" | "takeBack" | "stop" | "cancel" | "cancelCall"
>;

export function useConversationActions(): ConversationActions {
  return useConversationStore();
}

/** Begin a conversation with a question; gives its id. */
export function useBegin(): (question: string, options?: AskOptions) => Promise<string> {
  const stores = useConversationStores();
  return (question, options) => stores.begin(question, options);
}
