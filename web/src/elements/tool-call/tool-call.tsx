import { type ReactNode, useId, useState } from "react";
import type { ToolCall as Call, ToolCallState } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import { IconButton } from "../../ui/button/button";
import { Icon } from "../../ui/icon/icon";
import { Spinner } from "../../ui/spinner";
import { useNow } from "../../ui/use-now";
import { CallText } from "./call-text";
import { argumentLine, resultLine } from "./summary-line";
import styles from "./tool-call.module.css";

interface ToolCallProps {
  readonly call: Call;
  /** Ends this one call; missing when that cannot be done. */
  readonly onCancel?: ((callId: string) => void) | undefined;
}

const ICONS: Readonly<Record<ToolCallState, ReactNode>> = {
  running: <Spinner />,
  done: <Icon name="check" />,
  failed: <Icon name="alert" />,
  "cut-off": <Icon name="cut" />,
};

/** A tool call as a card: what runs and how long at a glance, everything when it is opened. */
export function ToolCall({ call, onCancel }: ToolCallProps) {
  const texts = useTexts();
  const [open, setOpen] = useState(false);
  const [cancelling, setCancelling] = useState(false);
  const bodyId = useId();
  const running = call.state === "running";
  const state = cancelling && running ? texts.tool.cancelling : texts.tool[call.state];
  return (
    <article className={styles.call} data-state={call.state} aria-label={texts.tool.label(call.name, state)}>
      <div className={styles.head}>
        <button
          type="button"
          className={styles.toggle}
          aria-expanded={open}
          aria-controls={bodyId}
          onClick={() => setOpen(!open)}
        >
          <span className={styles.icon}>{ICONS[call.state]}</span>
          <span className={styles.what}>
            <span className={styles.name}>{call.name}</span>{" "}
            <span className={styles.summary}>{argumentLine(call.args)}</span>
          </span>
          <span className="visually-hidden">{state}</span>
          <Elapsed call={call} />
          <Icon name="chevron" size={14} className={styles.chevron} />
        </button>
        {running && onCancel !== undefined && (
          <IconButton
            small
            icon="close"
            label={texts.tool.cancel(call.name)}
            disabled={cancelling}
            onClick={() => {
              setCancelling(true);
              onCancel(call.callId);
            }}
          />
        )}
      </div>
      {!open && <Preview call={call} />}
      <div id={bodyId} className={styles.body} hidden={!open}>
        {open && <Body call={call} />}
      </div>
    </article>
  );
}

function Elapsed({ call }: { call: Call }) {
  const texts = useTexts();
  const now = useNow(call.elapsed === null && call.state === "running");
  const seconds = call.elapsed ?? (call.state === "running" ? Math.max(now - call.startedAt, 0) / 1000 : null);
  if (seconds === null) return null;
  return <span className={styles.elapsed}>{texts.format.duration(seconds)}</span>;
}

/** The first line of what came of it, under the closed card. */
function Preview({ call }: { call: Call }) {
  const texts = useTexts();
  const made = texts.format.list(call.artifacts.map((artifact) => artifact.name));
  const line = call.error ?? (made === "" ? resultLine(call.observation) : made);
  if (line === "" || call.state === "running") return null;
  return <p className={call.error === null ? styles.preview : styles.problem}>{line}</p>;
}

function Body({ call }: { call: Call }) {
  const texts = useTexts();
  const args = JSON.stringify(call.args);
  return (
    <>
      {args === "{}" ? (
        <p className={styles.nothing}>{texts.tool.noArguments}</p>
      ) : (
        <CallText title={texts.tool.arguments} text={args} copyLabel={texts.tool.copyArguments} />
      )}
      {call.error !== null && (
        <CallText title={texts.tool.error} text={call.error} copyLabel={texts.tool.copyResult} look="error" />
      )}
      {call.observation !== "" && call.observation !== call.error && (
        <CallText title={texts.tool.result} text={call.observation} copyLabel={texts.tool.copyResult} />
      )}
      {call.state === "done" && call.observation === "" && <p className={styles.nothing}>{texts.tool.noResult}</p>}
    </>
  );
}
