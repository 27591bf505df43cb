import type { Outcome } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import styles from "./figures.module.css";

/** All figures of a run. What nobody reported is said to be unknown. */
export function Figures({ outcome, startedAt }: { outcome: Outcome; startedAt: number }) {
  const { footer, format } = useTexts();
  const { usage } = outcome;
  const count = (value: number | null) => (value === null ? footer.unknown : format.count(value));
  const rows: readonly (readonly [string, string])[] = [
    [footer.ended, footer.reasons[outcome.stopReason]],
    [footer.began, format.dateTime(startedAt)],
    [footer.elapsed, format.duration(outcome.elapsed)],
    [footer.iterations, format.count(outcome.iterations)],
    [footer.inputTokens, count(usage.prompt_tokens)],
    ...(usage.cached_tokens === null ? [] : ([[footer.cachedTokens, count(usage.cached_tokens)]] as const)),
    [footer.outputTokens, count(usage.completion_tokens)],
    ...(usage.reasoning_tokens === null ? [] : ([[footer.reasoningTokens, count(usage.reasoning_tokens)]] as const)),
    [footer.modelCalls, format.count(usage.calls)],
    [footer.cost, outcome.cost === null ? footer.unknown : format.cost(outcome.cost)],
  ];
  return (
    <>
      <dl className={styles.figures}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {usage.unreported > 0 && <p className={styles.note}>{footer.unreported(usage.unreported)}</p>}
    </>
  );
}
