import { useId, useState } from "react";
import type { Activity, Run } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import type { Texts } from "../../i18n/texts";
import { Icon } from "../../ui/icon/icon";
import { useNow } from "../../ui/use-now";
import { Phase } from "../phase/phase";
import { Status } from "../status/status";
import { isShown, staysInSight, summaryOf } from "./summary";
import styles from "./trace.module.css";
import { TraceItem } from "./trace-item";

interface TraceProps {
  readonly run: Run;
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly onCancelCall?: ((callId: string) => void) | undefined;
}

/**
 * What the agent did: all of it while it works, one line that opens when it is done. What somebody has begun to look
 * into does not fold under their eyes.
 */
export function Trace({ run, startedAt, onCancelCall }: TraceProps) {
  const [chosen, setChosen] = useState<boolean | null>(null);
  const listId = useId();
  const texts = useTexts();
  const ended = run.activity === "ended";
  const items = run.items.filter(isShown);
  const folded = items.filter((item) => !staysInSight(item));
  const open = chosen ?? !ended;
  const shown = open ? items : items.filter(staysInSight);
  if (ended && items.length === 0) return null;
  return (
    <div role="group" className={styles.trace} aria-label={texts.run.label}>
      {ended && folded.length > 0 && (
        <button
          type="button"
          className={styles.summary}
          aria-expanded={open}
          aria-controls={listId}
          onClick={() => setChosen(!open)}
        >
          <Summary run={run} />
          <Icon name="chevron" size={14} className={styles.chevron} />
        </button>
      )}
      {shown.length > 0 && (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys click the buttons within it, too
        <ol id={listId} className={styles.items} data-folded={!open} onClick={() => setChosen(open)}>
          {shown.map((item) => (
            <li key={item.key} className={styles.item} data-kind={item.kind}>
              <TraceItem item={item} onCancelCall={ended ? undefined : onCancelCall} />
            </li>
          ))}
        </ol>
      )}
      {!ended && <Now run={run} startedAt={startedAt} />}
    </div>
  );
}

function Summary({ run }: { run: Run }) {
  const texts = useTexts();
  const { steps, toolCalls, failedCalls } = summaryOf(run);
  const parts = [
    ...(run.outcome === null ? [] : [texts.run.worked(run.outcome.elapsed)]),
    ...(steps > 0 ? [texts.run.steps(steps)] : []),
    ...(toolCalls > 0 ? [texts.run.toolCalls(toolCalls)] : []),
  ];
  return (
    <span>
      {parts.join(" · ")}
      {failedCalls > 0 && <span className={styles.failed}> · {texts.run.failedCalls(failedCalls)}</span>}
    </span>
  );
}

/** What goes on this moment, when no item says it. */
function Now({ run, startedAt }: { run: Run; startedAt: number }) {
  const texts = useTexts();
  const now = useNow(true);
  const since = texts.format.duration(Math.max(now - startedAt, 0) / 1000);
  if (run.phase !== null) return <Phase phase={run.phase} since={since} />;
  const last = run.items.at(-1);
  if (run.activity === "thinking" && last?.kind === "thought" && last.thinking) return null;
  return <Status text={activityText(texts, run.activity)} since={since} />;
}

function activityText(texts: Texts, activity: Activity): string {
  const all: Readonly<Record<Activity, string>> = {
    waiting: texts.run.waiting,
    phase: texts.run.working,
    thinking: texts.run.thinking,
    acting: texts.run.acting,
    answering: texts.run.answering,
    ended: "",
  };
  return all[activity];
}
