import { ConversationProvider } from "../../conversation/use-conversation";
import { ArtifactSource } from "../../elements/artifact/artifact-source";
import { fetchArtifact } from "../../protocol/client";
import { ConversationView } from "./conversation-view";
import { NewChat } from "./new-chat";

interface ChatProps {
  /** Null for one that has not begun. */
  readonly conversationId: string | null;
  readonly onStarted: (conversationId: string) => void;
}

export function Chat({ conversationId, onStarted }: ChatProps) {
  if (conversationId === null) return <NewChat onStarted={onStarted} />;
  return (
    <ConversationProvider key={conversationId} id={conversationId}>
      <ArtifactSource value={fetchArtifact}>
        <ConversationView />
      </ArtifactSource>
    </ConversationProvider>
  );
}
