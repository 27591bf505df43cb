import { useState } from "react";
import { useTexts } from "../../i18n/i18n";
import { IconButton } from "../../ui/button/button";
import { Icon } from "../../ui/icon/icon";
import { useToast } from "../../ui/toast/toaster";
import styles from "./artifact.module.css";
import { ArtifactDialog } from "./artifact-dialog";
import { type Artifact, artifactKind, KIND_ICONS } from "./artifact-kind";
import { useLoadArtifact } from "./artifact-source";
import { saveAs } from "./save-as";

/** Something that a tool made: what it is, a preview, a download. */
export function ArtifactCard({ artifact }: { artifact: Artifact }) {
  const texts = useTexts();
  const toast = useToast();
  const load = useLoadArtifact();
  const [open, setOpen] = useState(false);
  const { id, name } = artifact;
  const kind = artifactKind(artifact.media_type);
  const facts = `${texts.artifact.kinds[kind]} · ${texts.format.bytes(artifact.size)}`;
  const about = id === undefined ? texts.artifact.gone : facts;

  const download = (stored: string) => {
    load(stored, new AbortController().signal).then(
      (content) => saveAs(content, name),
      () => toast(texts.artifact.failed, "error"),
    );
  };

  return (
    <div role="group" className={styles.card} aria-label={texts.artifact.label(name)}>
      <button
        type="button"
        className={styles.face}
        disabled={id === undefined}
        aria-label={`${texts.artifact.open(name)} ${about}`}
        onClick={() => setOpen(true)}
      >
        <span className={styles.badge}>
          <Icon name={KIND_ICONS[kind]} size={18} />
        </span>
        <span className={styles.words}>
          <span className={styles.name}>{name}</span> <span className={styles.about}>{about}</span>
        </span>
      </button>
      {id !== undefined && (
        <IconButton icon="download" label={texts.artifact.downloadName(name)} onClick={() => download(id)} />
      )}
      {open && id !== undefined && (
        <ArtifactDialog
          artifact={artifact}
          id={id}
          kind={kind}
          onDownload={() => download(id)}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
