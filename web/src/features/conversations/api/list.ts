import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useConversationStores } from "../../../conversation/use-conversation";
import { listConversations } from "../../../protocol/client";

const CONVERSATIONS = ["conversations"] as const;

const PAGE = 50;

/** The conversations, the last changed first, page by page; with `search`, those that hold it. Renewed when they change. */
export function useConversationList(search: string) {
  const stores = useConversationStores();
  const queries = useQueryClient();

  useEffect(
    () => stores.onListChanged(() => void queries.invalidateQueries({ queryKey: CONVERSATIONS })),
    [stores, queries],
  );

  return useInfiniteQuery({
    queryKey: [...CONVERSATIONS, search],
    queryFn: ({ pageParam, signal }) =>
      listConversations(
        { limit: PAGE, ...(search !== "" && { q: search }), ...(pageParam !== null && { before: pageParam }) },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    select: (data) => data.pages.flatMap((page) => page.conversations),
  });
}
