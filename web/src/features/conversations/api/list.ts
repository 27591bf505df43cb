import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { listConversations } from "../../../protocol/client";

export const CONVERSATIONS = ["conversations"] as const;

const PAGE = 50;

/** The conversations, the last changed first, page by page; with `search`, those that hold it. */
export function useConversationList(search: string) {
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
