import { useRef } from "react";
import { useBegin } from "../../conversation/use-conversation";
import { Composer } from "../../elements/composer/composer";
import { useTexts } from "../../i18n/i18n";
import styles from "./chat.module.css";
import { ChatHeader } from "./chat-header";
import { ChatOptions } from "./chat-options";
import { COMPOSER_ID } from "./composer-id";
import { EmptyState } from "./empty-state";
import { useChoice } from "./use-choice";
import { useDraft } from "./use-draft";
import { useFailure } from "./use-failure";
import { useFocusOnDesk } from "./use-focus-on-desk";

/** Where a conversation begins. */
export function NewChat({ onStarted }: { onStarted: (conversationId: string) => void }) {
  const texts = useTexts();
  const begin = useBegin();
  const failed = useFailure();
  const [choice, choose] = useChoice();
  const draft = useDraft(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useFocusOnDesk(field);

  const send = async (text: string) => {
    try {
      onStarted(await begin(text, choice));
      return true;
    } catch (error) {
      failed(error, texts.composer.failed);
      return false;
    }
  };

  return (
    <div className={styles.chat}>
      <ChatHeader title="" />
      <EmptyState onChoose={(question) => void send(question)} />
      <div className={styles.composer}>
        <Composer
          id={COMPOSER_ID}
          ref={field}
          onSend={send}
          draft={draft}
          options={<ChatOptions choice={choice} onChoice={choose} />}
        />
      </div>
    </div>
  );
}
