import { memo, type ReactNode, useCallback } from "react";
import type { Following, Turn } from "../../conversation/conversation";
import { useConversationActions, useFollow, useTurn } from "../../conversation/use-conversation";
import { Answer } from "../../elements/answer/answer";
import { Artifacts } from "../../elements/artifact/artifacts";
import { Question } from "../../elements/question/question";
import { RunFooter } from "../../elements/run-footer/run-footer";
import { Trace } from "../../elements/trace/trace";
import { useTexts } from "../../i18n/i18n";
import { Button } from "../../ui/button/button";
import { Notice } from "../../ui/notice";
import { TurnSkeleton } from "./turn-skeleton";
import styles from "./turn-view.module.css";
import { useFailure } from "./use-failure";

interface TurnViewProps {
  readonly turnKey: string;
  /** Given for the last turn: whether its question is being edited. */
  readonly editing?: { readonly open: boolean; readonly setOpen: (open: boolean) => void } | undefined;
  /** Given for the last turn, when it has ended: ask again, the same or something else. */
  readonly onAskAgain?: ((turn: Turn, question: string) => void) | undefined;
}

/** A question and what came of it. */
export const TurnView = memo(function TurnView({ turnKey, editing, onAskAgain }: TurnViewProps) {
  const turn = useTurn(turnKey);
  useFollow(turnKey);
  if (turn === undefined) return null;
  const askAgain = onAskAgain && ((question: string) => onAskAgain(turn, question));
  return (
    <article className={styles.turn} aria-label={turn.question.slice(0, 80)}>
      <Question text={turn.question} editing={askAgain && editing} onAskAgain={askAgain} />
      <Body turn={turn} onRetry={askAgain && (() => askAgain(turn.question))} />
    </article>
  );
});

function Body({ turn, onRetry }: { turn: Turn; onRetry: (() => void) | undefined }): ReactNode {
  const texts = useTexts();
  const actions = useConversationActions();
  const begun = turn.run.lastEvent > 0;
  const away = turn.state === "running" ? <RunView turn={turn} onRetry={undefined} /> : <TurnSkeleton />;
  const here = <RunView turn={turn} onRetry={onRetry} />;
  const faces: Readonly<Record<Following, ReactNode>> = {
    unread: away,
    reading: begun ? here : away,
    live: here,
    read: here,
    lost: (
      <>
        {begun && here}
        <p role="status" className={styles.lost}>
          {texts.chat.reconnecting}
        </p>
      </>
    ),
    failed: (
      <Notice
        look="danger"
        title={texts.chat.turnFailed}
        actions={<Button onClick={() => actions.follow(turn.key)}>{texts.app.tryAgain}</Button>}
      />
    ),
  };
  return faces[turn.following];
}

function RunView({ turn, onRetry }: { turn: Turn; onRetry: (() => void) | undefined }) {
  const actions = useConversationActions();
  const failed = useFailure();
  const { runId, run } = turn;

  const cancelCall = useCallback(
    (callId: string) => {
      if (runId !== null) actions.cancelCall(runId, callId).catch(failed);
    },
    [actions, failed, runId],
  );

  return (
    <>
      <Trace run={run} startedAt={turn.createdAt} onCancelCall={cancelCall} />
      <Artifacts items={run.items} />
      <Answer answer={run.answer} />
      {run.outcome !== null && (
        <RunFooter
          outcome={run.outcome}
          startedAt={turn.createdAt}
          model={turn.model}
          agent={turn.agent}
          answer={run.answer.text}
          onRetry={onRetry}
        />
      )}
    </>
  );
}
