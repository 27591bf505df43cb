import type { ReactNode } from "react";
import { linkTarget } from "./addresses";

/** A link that leads away opens beside the page and tells nothing of it. What may not be followed is plain text. */
export function Link({
  href,
  id,
  children,
}: {
  href?: string | undefined;
  id?: string | undefined;
  children?: ReactNode;
}) {
  if (href?.startsWith("#")) {
    return (
      <a href={href} id={id}>
        {children}
      </a>
    );
  }
  const target = linkTarget(href);
  if (target === null) return <span>{children}</span>;
  return (
    <a href={target} target="_blank" rel="noopener noreferrer nofollow" title={target}>
      {children}
    </a>
  );
}
