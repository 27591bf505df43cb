/** The arguments of a call in one line, for a glance: a single one is just its value. */

const LONGEST = 160;

export function argumentSummary(args: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(args);
  const [first] = entries;
  if (first === undefined) return "";
  if (entries.length === 1) return shortened(valueText(first[1]));
  return shortened(entries.map(([name, value]) => `${name}: ${valueText(value)}`).join(", "));
}

/** The first line of a text that says something. */
export function firstLine(text: string): string {
  return shortened(text.trimStart().split("\n", 1)[0]?.trim() ?? "");
}

function valueText(value: unknown): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).replace(/\s+/g, " ").trim();
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
