import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useConversationStores } from "../../../conversation/use-conversation";
import { renameConversation } from "../../../protocol/client";
import { CONVERSATIONS } from "./list";

export function useRename() {
  const queries = useQueryClient();
  const stores = useConversationStores();
  return useMutation({
    mutationFn: ({ id, title }: { id: string; title: string }) => renameConversation(id, title),
    onSuccess: (_, { id }) => {
      void stores.get(id).load();
      return queries.invalidateQueries({ queryKey: CONVERSATIONS });
    },
  });
}
