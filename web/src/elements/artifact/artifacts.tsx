import { memo } from "react";
import type { Item } from "../../conversation/conversation";
import { useTexts } from "../../i18n/i18n";
import styles from "./artifact.module.css";
import { ArtifactCard } from "./artifact-card";

/** Everything that the tools of a run made. */
export const Artifacts = memo(function Artifacts({ items }: { items: readonly Item[] }) {
  const texts = useTexts();
  const made = items.flatMap((item) =>
    item.kind === "tool-calls" ? item.calls.flatMap((call) => call.artifacts) : [],
  );
  if (made.length === 0) return null;
  return (
    <ul className={styles.all} aria-label={texts.artifact.all}>
      {made.map((artifact, index) => (
        <li key={artifact.id ?? index}>
          <ArtifactCard artifact={artifact} />
        </li>
      ))}
    </ul>
  );
});
