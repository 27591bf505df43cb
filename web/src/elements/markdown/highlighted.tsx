import type { RootContent } from "hast";
import { Fragment, memo, type ReactNode, useEffect, useState } from "react";

type Highlight = (code: string, language: string) => readonly RootContent[] | null;

let loaded: Highlight | null = null;

interface HighlightedProps {
  readonly code: string;
  readonly language: string;
}

/** Code in colours as soon as the highlighter is here; until then, and in languages it does not know, without. */
export const Highlighted = memo(function Highlighted({ code, language }: HighlightedProps) {
  const [highlight, setHighlight] = useState<Highlight | null>(() => loaded);

  useEffect(() => {
    if (highlight !== null) return;
    let wanted = true;
    import("./highlighter").then(
      (module) => {
        loaded = module.highlight;
        if (wanted) setHighlight(() => module.highlight);
      },
      () => undefined, // without a connection the code stays as it is
    );
    return () => {
      wanted = false;
    };
  }, [highlight]);

  const tree = highlight?.(code, language) ?? null;
  return tree === null ? code : spans(tree);
});

function spans(nodes: readonly RootContent[]): ReactNode {
  return nodes.map((node, index) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: the pieces of a text have no other name than their place
    if (node.type === "text") return <Fragment key={index}>{node.value}</Fragment>;
    if (node.type !== "element") return null;
    const { className } = node.properties;
    return (
      <span key={index} className={Array.isArray(className) ? className.join(" ") : undefined}>
        {spans(node.children)}
      </span>
    );
    // biome-ignore-end lint/suspicious/noArrayIndexKey: as above
  });
}
