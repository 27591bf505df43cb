import type { Outcome } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import styles from "./figures.module.css";

export interface FiguresProps {
  readonly outcome: Outcome;
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** What was asked for; null where it was left to the service. */
  readonly model: string | null;
  readonly agent: string | null;
}

/** All figures of a run. What nobody reported is said to be unknown. */
export function Figures({ outcome, startedAt, model, agent }: FiguresProps) {
  const { composer, footer, format } = useTexts();
  const { usage } = outcome;
  const count = (value: number | null) => (value === null ? footer.unknown : format.count(value));
  const rows: readonly (readonly [string, string])[] = [
    [footer.ended, footer.reasons[outcome.stopReason]],
    ...(agent === null ? [] : ([[composer.agent, agent]] as const)),
    ...(model === null ? [] : ([[composer.model, model]] as const)),
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
