/**
 * Makes the open end of a text that is still being written readable: what was begun and not closed yet would be shown
 * as bare signs for a moment and then jump.
 */

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/m;

export function closeOpenEnd(text: string): string {
  if (FENCE.test(text)) return text;
  const start = text.lastIndexOf("\n\n") + 1;
  const closed = closeMarks(hideHalfLink(text.slice(start)));
  return text.slice(0, start) + closed;
}

/** `[a link](http://exa` is shown as its words, `![an image](…` not at all, until the bracket closes. */
function hideHalfLink(text: string): string {
  const image = /!\[[^\]]*(?:\]\([^)\s]*)?$/.exec(text);
  if (image !== null) return text.slice(0, image.index);
  const link = /\[([^[\]]*)\]\([^)\n]*$/.exec(text);
  return link === null ? text : text.slice(0, link.index) + (link[1] ?? "");
}

function closeMarks(text: string): string {
  const withoutCode = text.replace(/(?<!`)(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, "");
  const tick = /`+/.exec(withoutCode)?.[0];
  if (tick !== undefined) return /`$/.test(text) ? text.replace(/`+$/, "") : `${text}${tick}`;
  let closed = text.replace(/(?:^|(?<=\s))[*_~]{1,3}$/, "");
  for (const mark of ["**", "~~"]) {
    if (withoutCode.split(mark).length % 2 === 0) closed = closed.trimEnd() === closed ? closed + mark : closed;
  }
  return closed;
}
