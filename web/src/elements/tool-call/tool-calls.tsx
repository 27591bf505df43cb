import type { ToolCalls as Calls } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import { ToolCall } from "./tool-call";
import styles from "./tool-calls.module.css";

interface ToolCallsProps {
  readonly item: Calls;
  readonly onCancel?: ((callId: string) => void) | undefined;
}

/** The calls of one step; several stand side by side, as they run. */
export function ToolCalls({ item: { calls }, onCancel }: ToolCallsProps) {
  const texts = useTexts();
  const [only] = calls;
  if (only !== undefined && calls.length === 1) return <ToolCall call={only} onCancel={onCancel} />;
  return (
    <ul className={styles.grid} aria-label={texts.tool.sideBySide(calls.length)}>
      {calls.map((call) => (
        <li key={call.callId}>
          <ToolCall call={call} onCancel={onCancel} />
        </li>
      ))}
    </ul>
  );
}
