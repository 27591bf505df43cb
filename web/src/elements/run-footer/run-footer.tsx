import { memo } from "react";
import type { Outcome } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import type { Texts } from "../../i18n/texts";
import { IconButton } from "../../ui/button/button";
import { Popover } from "../../ui/popover/popover";
import { CopyText } from "../copy-text";
import { Figures, type FiguresProps } from "./figures";
import styles from "./run-footer.module.css";

interface RunFooterProps extends FiguresProps {
  readonly answer: string;
  /** Asks the same question again; missing where that cannot be done. */
  readonly onRetry?: (() => void) | undefined;
}

/** Under an answer: what it took, and what can be done with it. */
export const RunFooter = memo(function RunFooter({ answer, onRetry, ...figures }: RunFooterProps) {
  const texts = useTexts();
  return (
    <div role="group" className={styles.footer} aria-label={texts.footer.label}>
      <div className={styles.actions}>
        {answer !== "" && <CopyText text={() => answer} label={texts.footer.copy} />}
        {onRetry !== undefined && <IconButton small icon="retry" label={texts.footer.retry} onClick={onRetry} />}
      </div>
      <Popover
        label={texts.footer.details}
        trigger={(props) => (
          <button type="button" className={styles.facts} title={texts.footer.details} {...props}>
            {facts(texts, figures.outcome).map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
          </button>
        )}
      >
        <Figures {...figures} />
      </Popover>
    </div>
  );
});

function facts(texts: Texts, { stopReason, iterations, usage, elapsed, cost }: Outcome): readonly string[] {
  const { format, footer, run } = texts;
  const all = [footer.reasons[stopReason], format.duration(elapsed), run.steps(iterations)];
  if (usage.prompt_tokens !== null) {
    const cached = usage.cached_tokens ?? 0;
    const tokens = footer.tokensIn(format.compact(usage.prompt_tokens));
    all.push(cached > 0 ? `${tokens} (${footer.cached(format.compact(cached))})` : tokens);
  }
  if (usage.completion_tokens !== null) all.push(footer.tokensOut(format.compact(usage.completion_tokens)));
  if (cost !== null) all.push(format.cost(cost));
  return all;
}
