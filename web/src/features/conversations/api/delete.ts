import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useConversationStores } from "../../../conversation/use-conversation";
import { deleteConversation } from "../../../protocol/client";
import { CONVERSATIONS } from "./list";

export function useDelete() {
  const queries = useQueryClient();
  const stores = useConversationStores();
  return useMutation({
    mutationFn: (id: string) => deleteConversation(id),
    onSuccess: (_, id) => {
      stores.close(id);
      return queries.invalidateQueries({ queryKey: CONVERSATIONS });
    },
  });
}
