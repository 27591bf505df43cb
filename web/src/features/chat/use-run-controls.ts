import { useEffect, useMemo } from "react";
import type { Interrupt, Item } from "../../conversation/conversation";
import { useActiveTurn, useConversationActions } from "../../conversation/use-conversation";
import type { RunControls } from "../../elements/composer/composer";
import { useTexts } from "../../i18n/i18n";
import { ApiError } from "../../protocol/request";
import { useToast } from "../../ui/toast/toaster";
import { useFailure } from "./use-failure";

/** What can be done with the run at work, null when none is. Esc stops it. */
export function useRunControls(): RunControls | null {
  const turn = useActiveTurn();
  const actions = useConversationActions();
  const failed = useFailure();
  const toast = useToast();
  const texts = useTexts();
  const items = turn?.run.items;
  const working = turn !== null;
  const runId = turn?.runId ?? null;
  const ending = turn?.ending ?? null;

  useEffect(() => {
    if (!working || ending !== null) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || somethingIsOpen()) return;
      actions.stop().catch(failed);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [working, ending, actions, failed]);

  return useMemo<RunControls | null>(() => {
    if (!working) return null;
    const late = (error: unknown) => {
      if (error instanceof ApiError && error.status === 409) toast(texts.interrupt.tooLate);
      else failed(error);
    };
    return {
      ending,
      queued: (items ?? []).filter(isQueued),
      onStop: () => void actions.stop().catch(failed),
      onCancel: () => void actions.cancel().catch(failed),
      onEditQueued: (id, content) => {
        if (runId !== null) actions.editInterrupt(runId, id, content).catch(late);
      },
      onTakeBack: (id) => {
        if (runId !== null) actions.takeBack(runId, id).catch(late);
      },
    };
  }, [working, runId, ending, items, actions, failed, toast, texts]);
}

function isQueued(item: Item): item is Interrupt {
  return item.kind === "interrupt" && item.state === "queued";
}

/** A dialog, a menu: Esc is theirs. */
function somethingIsOpen(): boolean {
  return document.querySelector("dialog[open], [popover]:popover-open") !== null;
}
