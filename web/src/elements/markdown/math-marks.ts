/**
 * Models mark formulas in two ways, `$x$` and `\(x\)`, and write sums of money as `$5`. Makes it one way, and escapes
 * the dollars that are money, by the rule of pandoc: no space inside the marks, no digit after the closing one.
 */

/** Code, which is left alone; a LaTeX mark; or a dollar sign. */
const PIECES =
  /(^ {0,3}(`{3,}|~{3,})[\s\S]*?(?:\n {0,3}\2|$(?![\s\S])))|((?<!`)(`+)(?!`)[\s\S]*?[^`]\4(?!`))|\\\\|\\\[([\s\S]+?)\\\]|\\\((.+?)\\\)|\\\$|(\${2,})|\$/gm;

export function unifyMath(text: string): string {
  if (!text.includes("$") && !text.includes("\\(") && !text.includes("\\[")) return text;
  let out = "";
  let at = 0;
  for (const match of text.matchAll(PIECES)) {
    if (match.index < at) continue; // inside a formula that was taken whole
    const [whole] = match;
    out += text.slice(at, match.index);
    at = match.index + whole.length;
    const [, , , , , display, inline] = match;
    if (display !== undefined) out += `\n$$\n${display.trim()}\n$$\n`;
    else if (inline !== undefined) out += `$${inline.trim()}$`;
    else if (whole === "$") {
      const formula = formulaAt(text, match.index);
      out += formula === null ? "\\$" : `$${formula}$`;
      if (formula !== null) at = match.index + formula.length + 2;
    } else out += whole;
  }
  return out + text.slice(at);
}

const FORMULA = /\$(?=[^\s$])((?:\\.|[^$\\\n])*?[^\s\\$])\$(?!\d)/y;

function formulaAt(text: string, index: number): string | null {
  FORMULA.lastIndex = index;
  return FORMULA.exec(text)?.[1] ?? null;
}
