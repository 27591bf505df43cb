import { lazy, Suspense, useEffect } from "react";
import { ConversationProvider } from "../../conversation/use-conversation";
import { ArtifactSource } from "../../elements/artifact/artifact-source";
import { fetchArtifact } from "../../protocol/client";
import styles from "./chat.module.css";
import { NewChat } from "./new-chat";
import { TurnSkeleton } from "./turn-skeleton";

interface ChatProps {
  /** Null for one that has not begun. */
  readonly conversationId: string | null;
  readonly onStarted: (conversationId: string) => void;
}

const loadView = () => import("./conversation-view");
const ConversationView = lazy(async () => ({ default: (await loadView()).ConversationView }));

/** A conversation. What shows its turns is the larger part of the page, and is loaded once the rest is there. */
export function Chat({ conversationId, onStarted }: ChatProps) {
  useEffect(() => {
    loadView().catch(() => undefined); // it is asked for again when it is needed
  }, []);

  if (conversationId === null) return <NewChat onStarted={onStarted} />;
  return (
    <ConversationProvider key={conversationId} id={conversationId}>
      <ArtifactSource value={fetchArtifact}>
        <Suspense fallback={<OnItsWay />}>
          <ConversationView />
        </Suspense>
      </ArtifactSource>
    </ConversationProvider>
  );
}

function OnItsWay() {
  return (
    <div className={styles.face}>
      <TurnSkeleton />
    </div>
  );
}
