import { useEffect, useState } from "react";
import { useTexts } from "../../i18n/i18n";
import { CodeBlock } from "../markdown/code-block";
import { Markdown } from "../markdown/markdown";
import type { ArtifactKind } from "./artifact-kind";
import { CsvTable } from "./csv-table";
import { HtmlFrame } from "./html-frame";
import styles from "./preview.module.css";
import { useObjectUrl } from "./use-artifact";

interface PreviewProps {
  readonly kind: ArtifactKind;
  readonly name: string;
  readonly content: Blob;
}

/** More than this is not read into the page. */
const LARGEST = 4_000_000;

/** An artifact's content, shown as what it is. */
export function Preview({ kind, name, content }: PreviewProps) {
  const texts = useTexts();
  if (kind === "image") return <ImagePreview name={name} content={content} />;
  if (kind === "other") return <p className={styles.word}>{texts.artifact.noPreview}</p>;
  if (content.size > LARGEST) return <p className={styles.word}>{texts.artifact.tooLarge}</p>;
  return <TextPreview kind={kind} name={name} content={content} />;
}

function ImagePreview({ name, content }: { name: string; content: Blob }) {
  const url = useObjectUrl(content);
  return url === null ? null : <img className={styles.image} src={url} alt={name} />;
}

interface TextPreviewProps {
  readonly kind: Exclude<ArtifactKind, "image" | "other">;
  readonly name: string;
  readonly content: Blob;
}

function TextPreview({ kind, name, content }: TextPreviewProps) {
  const [text, setText] = useState<string | null>(null);

  useEffect(() => {
    let wanted = true;
    content.text().then((read) => {
      if (wanted) setText(read);
    });
    return () => {
      wanted = false;
    };
  }, [content]);

  if (text === null) return null;
  switch (kind) {
    case "html":
    case "drawing":
      return <HtmlFrame name={name} html={text} />;
    case "csv":
      return <CsvTable text={text} />;
    case "markdown":
      return (
        <div className={styles.page}>
          <Markdown text={text} />
        </div>
      );
    case "text":
      return (
        <div className={styles.page}>
          <CodeBlock code={text} language={languageOf(name)} />
        </div>
      );
  }
}

function languageOf(name: string): string | null {
  return /\.(\w{1,10})$/.exec(name)?.[1]?.toLowerCase() ?? null;
}
