import { useMutation } from "@tanstack/react-query";
import { useConversationStores } from "../../../conversation/use-conversation";
import { renameConversation } from "../../../protocol/client";

export function useRename() {
  const stores = useConversationStores();
  return useMutation({
    mutationFn: ({ id, title }: { id: string; title: string }) => renameConversation(id, title),
    onSuccess: (_, { id }) => {
      void stores.reload(id);
      stores.changed(id);
    },
  });
}
