import type { ReactNode } from "react";
import { linkTarget } from "./addresses";

interface LinkProps {
  readonly href: string | undefined;
  /** For links within the text: what leads back to them. */
  readonly id?: string | undefined;
  readonly label?: string | undefined;
  readonly children?: ReactNode;
}

/** A link that leads away opens beside the page and tells nothing of it. What may not be followed is plain text. */
export function Link({ href, id, label, children }: LinkProps) {
  if (href?.startsWith("#")) {
    return (
      <a href={href} id={id} aria-label={label}>
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
