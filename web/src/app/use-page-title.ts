import { useEffect } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";
import type { Thread } from "../conversation/thread";
import { unknownThread } from "../conversation/thread";
import { useConversationStores } from "../conversation/use-conversation";

const NAME = "actloop";
const NONE = createStore<Thread>(() => unknownThread(""));

/** Name the page after its conversation; a dot says that the agent is at work, also where only the tab is seen. */
export function usePageTitle(conversationId: string | null): void {
  const stores = useConversationStores();
  const thread = conversationId === null ? NONE : stores.get(conversationId).state;
  const title = useStore(thread, (now) => now.title || now.turns.get(now.order[0] ?? "")?.question.slice(0, 80) || "");
  const working = useStore(thread, (now) => now.activeKey !== null);
  useEffect(() => {
    document.title = `${working ? "● " : ""}${title === "" ? "" : `${title} · `}${NAME}`;
  }, [title, working]);
}
