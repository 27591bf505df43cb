import type { Element } from "hast";
import type { ReactNode } from "react";
import type { Components } from "react-markdown";
import { useTexts } from "../../i18n/i18n";
import { CodeBlock } from "./code-block";
import { Formula } from "./formula";
import { Image } from "./image";
import { Link } from "./link";
import styles from "./markdown.module.css";
import { codeOf } from "./pipeline";

/** What markdown's elements look like here. */
export const parts: Components = {
  a: ({ href, id, children, "aria-label": label }) => (
    <Link href={href} id={id} label={label}>
      {children}
    </Link>
  ),
  // Without the id that the heading of the footnotes has in every answer.
  h2: ({ className, children }) => <h2 className={className}>{children}</h2>,
  img: ({ src, alt }) => <Image src={typeof src === "string" ? src : undefined} alt={alt} />,
  table: ({ children }) => <Table>{children}</Table>,
  input: ({ checked }) => <Task done={checked === true} />,
  code: ({ node, children }) => {
    const code = node === undefined ? null : codeOf(node);
    return code?.math ? <Formula tex={code.text} display={false} /> : <code>{children}</code>;
  },
  pre: ({ node, children }) => {
    const inner = node?.children.find(
      (child): child is Element => child.type === "element" && child.tagName === "code",
    );
    if (inner === undefined) return <pre>{children}</pre>;
    const { text, language, math } = codeOf(inner);
    const code = text.replace(/\n$/, "");
    return math ? <Formula tex={code} display /> : <CodeBlock code={code} language={language} />;
  },
};

function Table({ children }: { children?: ReactNode }) {
  const texts = useTexts();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div role="group" className={styles.table} aria-label={texts.markdown.table} tabIndex={0}>
      <table>{children}</table>
    </div>
  );
}

function Task({ done }: { done: boolean }) {
  const texts = useTexts();
  return (
    <input
      type="checkbox"
      disabled
      checked={done}
      aria-label={done ? texts.markdown.taskDone : texts.markdown.taskOpen}
    />
  );
}
