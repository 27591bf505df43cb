import type { ComponentProps } from "react";

/** A link that the page follows by itself; one in a new tab or window stays the browser's. */
export function PlainLink({ href, onFollow, ...props }: ComponentProps<"a"> & { href: string; onFollow: () => void }) {
  return (
    <a
      href={href}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        onFollow();
      }}
      {...props}
    />
  );
}
