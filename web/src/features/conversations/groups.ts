import type { Texts } from "../../i18n/texts";

export interface Group<Item> {
  readonly label: string;
  readonly items: readonly Item[];
}

const DAY = 86_400_000;

/** Puts what is sorted by time, the newest first, under today, yesterday, the last days, and months. */
export function groupByDate<Item extends { readonly updated_at: string }>(
  items: readonly Item[],
  texts: Texts,
  now: number,
): readonly Group<Item>[] {
  const groups: { label: string; items: Item[] }[] = [];
  for (const item of items) {
    const label = labelOf(Date.parse(item.updated_at), texts, now);
    const last = groups.at(-1);
    if (last?.label === label) last.items.push(item);
    else groups.push({ label, items: [item] });
  }
  return groups;
}

function labelOf(at: number, { sidebar, format }: Texts, now: number): string {
  const today = new Date(now).setHours(0, 0, 0, 0);
  if (at >= today) return sidebar.today;
  // Half a day on either side, since a day in which the clocks change is not as long as others.
  if (at >= new Date(today - DAY / 2).setHours(0, 0, 0, 0)) return sidebar.yesterday;
  if (at >= today - 7 * DAY) return sidebar.lastWeek;
  if (at >= today - 30 * DAY) return sidebar.lastMonth;
  return format.month(at);
}
