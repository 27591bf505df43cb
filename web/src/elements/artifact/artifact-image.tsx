import { useTexts } from "../../i18n/i18n";
import styles from "./artifact.module.css";
import { useArtifact, useObjectUrl } from "./use-artifact";

/** An image that a tool made, within a text. */
export function ArtifactImage({ id, name }: { id: string; name: string }) {
  const texts = useTexts();
  const loading = useArtifact(id);
  const url = useObjectUrl(loading.state === "loaded" ? loading.content : null);
  if (loading.state === "failed") return <span className={styles.missing}>{texts.artifact.failed}</span>;
  if (url === null) return <span className={styles.imagePlace} role="img" aria-label={name} />;
  return <img className={styles.image} src={url} alt={name} />;
}
