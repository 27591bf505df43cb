/** Reads a table of comma-separated values (RFC 4180); tabs and semicolons are understood as well. */

export function readCsv(
  text: string,
  mostRows: number,
): { readonly rows: readonly string[][]; readonly total: number } {
  const separator = separatorOf(text);
  const rows: string[][] = [];
  let total = 0;
  let row: string[] = [];
  let cell = "";
  let quoted = false;

  const endRow = () => {
    row.push(cell);
    cell = "";
    if (row.length > 1 || row[0] !== "") {
      total += 1;
      if (rows.length < mostRows) rows.push(row);
    }
    row = [];
  };

  for (let at = text.charCodeAt(0) === 0xfeff ? 1 : 0; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (sign === '"' && cell === "") quoted = true;
    else if (sign === separator) {
      row.push(cell);
      cell = "";
    } else if (sign === "\n") endRow();
    else if (sign !== "\r") cell += sign;
  }
  if (cell !== "" || row.length > 0) endRow();
  return { rows, total };
}

function separatorOf(text: string): string {
  const line = text.slice(0, text.search(/\n|$/));
  const counts = [",", ";", "\t"].map((sign) => [sign, line.split(sign).length] as const);
  return counts.reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}
