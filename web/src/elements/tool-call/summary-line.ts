/** What a call was given and what came of it, each in one line for a glance. */

const LONGEST = 160;

/** Texts speak for themselves; numbers and the like are shown with their names. */
export function argumentLine(args: Readonly<Record<string, unknown>>): string {
  return shortened(
    Object.entries(args)
      .map(([name, value]) => (typeof value === "string" ? valueText(value) : `${name}: ${valueText(value)}`))
      .join(", "),
  );
}

/** The first line of a result that says something; of JSON what is in it. */
export function resultLine(text: string): string {
  const object = asObject(text);
  if (object !== null) return argumentLine(object);
  return shortened(text.trimStart().split("\n", 1)[0]?.trim() ?? "");
}

const LONGEST_JSON = 20_000;

function asObject(text: string): Readonly<Record<string, unknown>> | null {
  if (!/^\s*\{/.test(text) || text.length > LONGEST_JSON) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : null;
  } catch {
    return null; // it only begins like JSON
  }
}

function valueText(value: unknown): string {
  return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).replace(/\s+/g, " ").trim();
}

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
