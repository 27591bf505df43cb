import { useTexts } from "../../i18n/i18n";
import { Icon } from "../../ui/icon/icon";
import { ArtifactImage } from "../artifact/artifact-image";
import { imageSource } from "./addresses";
import styles from "./image.module.css";
import { Link } from "./link";

/** Our own images are shown; of others it is said where they are. */
export function Image({ src, alt }: { src?: string | undefined; alt?: string | undefined }) {
  const texts = useTexts();
  const source = imageSource(src);
  const name = alt === undefined || alt === "" ? texts.markdown.image : alt;
  switch (source.kind) {
    case "artifact":
      return <ArtifactImage id={source.id} name={name} />;
    case "own":
      return <img className={styles.image} src={source.path} alt={name} loading="lazy" />;
    case "elsewhere":
      return (
        <span className={styles.blocked}>
          <Icon name="image" size={14} />
          {alt !== undefined && alt !== "" && <span>{alt}:</span>}
          <Link href={source.href}>{texts.markdown.imageBlocked(source.host)}</Link>
        </span>
      );
    case "unknown":
      return <span>{name}</span>;
  }
}
