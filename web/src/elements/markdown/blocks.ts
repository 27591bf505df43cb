/**
 * Cuts a growing markdown text into blocks. What is over is cut once and never looked at again; only the open end,
 * which more text may still change, is read anew.
 */

import { Lexer } from "marked";

/** A piece of the text that can be shown by itself. `at`, where it begins, names it: it stays the same as it grows. */
export interface Block {
  readonly at: number;
  readonly text: string;
}

/** Blocks that are over, some of them together so that a long text has few parts. `at`: where its first one begins. */
export interface Section {
  readonly at: number;
  readonly blocks: readonly Block[];
  readonly length: number;
}

export interface Cut {
  readonly text: string;
  /** All but the last never change again. */
  readonly sections: readonly Section[];
  readonly open: Block | null;
}

export const NOTHING_CUT: Cut = { text: "", sections: [], open: null };

const FULL = 4000;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** The blocks of `text`. `before` is the cut of an earlier state of the same text: what was over then is kept. */
export function cutBlocks(text: string, before: Cut = NOTHING_CUT): Cut {
  const from = text.startsWith(before.text) ? before : NOTHING_CUT;
  const start = from.open?.at ?? from.text.length;
  const rest = text.slice(start);
  if (rest === "") return { text, sections: from.sections, open: null };
  if (insideFence(rest)) return { text, sections: from.sections, open: { at: start, text: rest } };

  const { over, length } = overIn(rest, start);
  const at = start + length;
  return { text, sections: filled(from.sections, over), open: at < text.length ? { at, text: text.slice(at) } : null };
}

/** Whether the next block begins a section of its own. */
export function isFull(section: Section | undefined): boolean {
  return section === undefined || section.length >= FULL;
}

function filled(sections: readonly Section[], over: readonly Block[]): readonly Section[] {
  if (over.length === 0) return sections;
  const all = [...sections];
  for (const block of over) {
    const last = all.at(-1);
    if (last === undefined || isFull(last)) all.push({ at: block.at, blocks: [block], length: block.text.length });
    else {
      all[all.length - 1] = { at: last.at, blocks: [...last.blocks, block], length: last.length + block.text.length };
    }
  }
  return all;
}

/** The blocks of `rest` that nothing can change any more: another follows them, with a whole line of its own. */
function overIn(rest: string, start: number): { over: Block[]; length: number } {
  const tokens = new Lexer().blockTokens(rest, []);
  const pieces: string[] = [];
  let read = 0;
  for (const { type, raw } of tokens) {
    if (!rest.startsWith(raw, read)) break;
    read += raw.length;
    const last = pieces.length - 1;
    if (type === "space" && last >= 0) pieces[last] += raw;
    else pieces.push(raw);
  }
  const over: Block[] = [];
  let length = 0;
  for (const piece of pieces.slice(0, -1)) {
    if (!rest.slice(length + piece.length).includes("\n")) break;
    over.push({ at: start + length, text: piece });
    length += piece.length;
  }
  return { over, length };
}

function insideFence(rest: string): boolean {
  const mark = FENCE.exec(rest)?.[1];
  if (mark === undefined) return false;
  return !new RegExp(`\\n {0,3}${mark[0]}{${mark.length},}[ \\t]*(?:\\n|$)`).test(rest);
}

/** Whether parts of the text mean something only together: footnotes, and links whose address stands elsewhere. */
export function belongsTogether(text: string): boolean {
  return /^ {0,3}\[[^\]\n]+\]:/m.test(text);
}
