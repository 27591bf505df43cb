import { useMutation } from "@tanstack/react-query";
import { useConversationStores } from "../../../conversation/use-conversation";
import { deleteConversation } from "../../../protocol/client";

export function useDelete() {
  const stores = useConversationStores();
  return useMutation({
    mutationFn: (id: string) => deleteConversation(id),
    onSuccess: (_, id) => {
      stores.close(id);
      stores.changed(id);
    },
  });
}
