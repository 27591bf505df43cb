import { useTexts } from "../../i18n/i18n";
import { Button } from "../../ui/button/button";
import { useConversationList } from "./api/list";
import styles from "./conversation-list.module.css";
import { ConversationRow } from "./conversation-row";
import { groupByDate } from "./groups";
import { useWhenSeen } from "./use-when-seen";

interface ConversationListProps {
  readonly currentId: string | null;
  readonly search: string;
  /** Null: a new one. */
  readonly onOpen: (id: string | null) => void;
}

/** The conversations by date; more are fetched as one scrolls. */
export function ConversationList({ currentId, search, onOpen }: ConversationListProps) {
  const texts = useTexts();
  const list = useConversationList(search);
  const end = useWhenSeen(() => {
    if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
  });

  if (list.isPending) return <p className={styles.word}>{texts.app.loading}</p>;
  if (list.data === undefined) {
    return (
      <div className={styles.word}>
        <p>{texts.sidebar.failed}</p>
        <Button small onClick={() => void list.refetch()}>
          {texts.app.tryAgain}
        </Button>
      </div>
    );
  }
  return (
    <>
      <div role="status" className={list.data.length === 0 ? styles.word : undefined}>
        {list.data.length === 0 && (search === "" ? texts.sidebar.nothing : texts.sidebar.nothingFound(search))}
      </div>
      {groupByDate(list.data, texts, Date.now()).map((group) => (
        <section key={group.label} className={styles.group}>
          <h2 className={styles.date}>{group.label}</h2>
          <ul>
            {group.items.map((conversation) => (
              <ConversationRow
                key={conversation.id}
                conversation={conversation}
                current={conversation.id === currentId}
                onOpen={onOpen}
              />
            ))}
          </ul>
        </section>
      ))}
      {list.hasNextPage && (
        <div ref={end} className={styles.more}>
          <Button small look="quiet" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {texts.sidebar.more}
          </Button>
        </div>
      )}
    </>
  );
}
