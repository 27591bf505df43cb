import { expect, test } from "vitest";
import { en } from "../../i18n/en";
import { groupByDate } from "./groups";

const now = new Date(2026, 10, 15, 9, 30).getTime();

function at(month: number, day: number, hour = 12): { updated_at: string } {
  return { updated_at: new Date(2026, month - 1, day, hour).toISOString() };
}

test("conversations stand under today, yesterday, the last days, and months", () => {
  const items = [at(11, 15, 8), at(11, 15, 0), at(11, 14, 23), at(11, 9), at(10, 20), at(10, 1), at(9, 30)];
  const groups = groupByDate(items, en, now);
  expect(groups.map((group) => [group.label, group.items.length])).toEqual([
    ["Today", 2],
    ["Yesterday", 1],
    ["Previous 7 days", 1],
    ["Previous 30 days", 1],
    ["October 2026", 1],
    ["September 2026", 1],
  ]);
});

test("without conversations there are no groups", () => {
  expect(groupByDate([], en, now)).toEqual([]);
});
