/** Where links and images of an answer may lead. The text may come from a page that a tool read: it is not trusted. */

const LINKED = new Set(["http:", "https:", "mailto:"]);

export type ImageSource =
  | { readonly kind: "artifact"; readonly id: string }
  | { readonly kind: "own"; readonly path: string }
  | { readonly kind: "elsewhere"; readonly href: string; readonly host: string }
  | { readonly kind: "unknown" };

/** The address if one may go there by a click, else null. */
export function linkTarget(href: string | undefined): string | null {
  const url = parsed(href);
  return url !== null && LINKED.has(url.protocol) ? url.href : null;
}

/** Only our own images are shown: one from elsewhere would tell its server what is written in its address. */
export function imageSource(src: string | undefined, origin: string = location.origin): ImageSource {
  const url = parsed(src, origin);
  if (url === null) return { kind: "unknown" };
  if (url.origin === origin) {
    const id = /^\/api\/artifacts\/([\w-]+)$/.exec(url.pathname)?.[1];
    if (id !== undefined) return { kind: "artifact", id };
    if (/\.(?:png|jpe?g|gif|webp|avif)$/i.test(url.pathname)) return { kind: "own", path: url.pathname };
    return { kind: "unknown" };
  }
  if (url.protocol !== "https:" && url.protocol !== "http:") return { kind: "unknown" };
  return { kind: "elsewhere", href: url.href, host: url.host };
}

function parsed(address: string | undefined, base?: string): URL | null {
  return address !== undefined && URL.canParse(address, base) ? new URL(address, base) : null;
}
