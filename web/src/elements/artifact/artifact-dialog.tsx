import { useState } from "react";
import { useTexts } from "../../i18n/i18n";
import { Button, IconButton } from "../../ui/button/button";
import { Dialog } from "../../ui/dialog/dialog";
import { Notice } from "../../ui/notice";
import { Spinner } from "../../ui/spinner";
import styles from "./artifact-dialog.module.css";
import type { Artifact, ArtifactKind } from "./artifact-kind";
import { Preview } from "./preview";
import { useArtifact } from "./use-artifact";

interface ArtifactDialogProps {
  readonly artifact: Artifact;
  readonly id: string;
  readonly kind: ArtifactKind;
  readonly onDownload: () => void;
  readonly onClose: () => void;
}

/** Kinds that can be looked at as they are written, too. */
const HAS_SOURCE: Readonly<Record<ArtifactKind, boolean>> = {
  html: true,
  markdown: true,
  csv: true,
  image: false,
  drawing: true,
  text: false,
  other: false,
};

/** An artifact to look at. */
export function ArtifactDialog({ artifact, id, kind, onDownload, onClose }: ArtifactDialogProps) {
  const texts = useTexts();
  const [source, setSource] = useState(false);
  const loading = useArtifact(id);
  return (
    <Dialog
      wide
      title={artifact.name}
      closeLabel={texts.app.close}
      onClose={onClose}
      actions={
        <>
          {HAS_SOURCE[kind] && (
            <Button small look="quiet" aria-pressed={source} onClick={() => setSource(!source)}>
              {texts.artifact.source}
            </Button>
          )}
          <IconButton icon="download" label={texts.artifact.downloadName(artifact.name)} onClick={onDownload} />
        </>
      }
    >
      <div className={styles.view}>
        {loading.state === "loading" && (
          <p className={styles.waiting} role="status">
            <Spinner /> {texts.app.loading}
          </p>
        )}
        {loading.state === "failed" && <Notice look="danger" title={texts.artifact.failed} />}
        {loading.state === "loaded" && (
          <Preview kind={source ? "text" : kind} name={artifact.name} content={loading.content} />
        )}
      </div>
    </Dialog>
  );
}
