import { useCallback, useRef, useState } from "react";
import type { Turn } from "../../conversation/conversation";
import type { Load } from "../../conversation/thread";
import { useConversation, useConversationActions, useTurn } from "../../conversation/use-conversation";
import { Composer } from "../../elements/composer/composer";
import { useTexts } from "../../i18n/i18n";
import { Button } from "../../ui/button/button";
import { Notice } from "../../ui/notice";
import { Announcer } from "./announcer";
import styles from "./chat.module.css";
import { ChatHeader } from "./chat-header";
import { ChatOptions } from "./chat-options";
import { COMPOSER_ID } from "./composer-id";
import { TurnList } from "./turn-list";
import { TurnSkeleton } from "./turn-skeleton";
import { useChoice } from "./use-choice";
import { useDraft } from "./use-draft";
import { useFailure } from "./use-failure";
import { useFocusOnDesk } from "./use-focus-on-desk";
import { useRunControls } from "./use-run-controls";

/** A conversation: its turns, and the field that begins the next one. */
export function ConversationView() {
  const texts = useTexts();
  const title = useConversation((thread) => thread.title);
  const load = useConversation((thread) => thread.load);
  const last = useTurn(useConversation((thread) => thread.order.at(-1) ?? ""));
  const actions = useConversationActions();
  const failed = useFailure();
  const controls = useRunControls();
  const [choice, choose] = useChoice();
  const [editing, setOpen] = useState(false);
  const draft = useDraft(useConversation((thread) => thread.id));
  const field = useRef<HTMLTextAreaElement>(null);
  useFocusOnDesk(field);

  const send = async (text: string) => {
    try {
      if (controls === null) await actions.ask(text, choice);
      else await actions.interrupt(text);
      return true;
    } catch (error) {
      failed(error, texts.composer.failed);
      return false;
    }
  };

  // Whoever is done with an earlier question goes on with the next one.
  const setEditing = useCallback((open: boolean) => {
    setOpen(open);
    if (!open) field.current?.focus({ preventScroll: true });
  }, []);

  const askAgain = useCallback(
    (turn: Turn, question: string) => {
      const { runId: replaces, model, agent } = turn;
      actions.ask(question, { model, agent, replaces }).catch((error: unknown) => failed(error, texts.composer.failed));
    },
    [actions, failed, texts],
  );

  return (
    <div className={styles.chat}>
      <ChatHeader title={title} />
      {load === "ready" ? (
        <TurnList editing={editing} setEditing={setEditing} onAskAgain={askAgain} />
      ) : (
        <Face load={load} onRetry={() => void actions.load()} />
      )}
      <div className={styles.composer} hidden={load === "missing"}>
        <Composer
          id={COMPOSER_ID}
          ref={field}
          run={controls}
          onSend={send}
          draft={draft}
          onEditLast={controls === null && last !== undefined ? () => setEditing(true) : undefined}
          options={<ChatOptions choice={choice} onChoice={choose} />}
        />
      </div>
      <Announcer last={last} />
    </div>
  );
}

function Face({ load, onRetry }: { load: Exclude<Load, "ready">; onRetry: () => void }) {
  const texts = useTexts();
  switch (load) {
    case "loading":
      return (
        <div className={styles.face} role="status" aria-label={texts.chat.loading}>
          <TurnSkeleton />
        </div>
      );
    case "missing":
      return (
        <div className={styles.face}>
          <Notice look="warn" title={texts.chat.notFound} />
        </div>
      );
    case "failed":
      return (
        <div className={styles.face}>
          <Notice
            look="danger"
            title={texts.chat.failed}
            actions={<Button onClick={onRetry}>{texts.app.tryAgain}</Button>}
          />
        </div>
      );
  }
}
