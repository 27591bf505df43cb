import { expect, test } from "vitest";
import { unifyMath } from "./math-marks";

test.each([
  ["It costs $5 and then $10.", "It costs \\$5 and then \\$10."],
  ["Let $x + y$ be even.", "Let $x + y$ be even."],
  ["So \\(a^2\\) holds.", "So $a^2$ holds."],
  ["As in\n\\[\na = b\n\\]\nfor all.", "As in\n\n$$\na = b\n$$\n\nfor all."],
  ["$$\na\n$$", "$$\na\n$$"],
  ["`$HOME` and `\\(x\\)`", "`$HOME` and `\\(x\\)`"],
  ["```sh\necho $HOME $PATH\n```", "```sh\necho $HOME $PATH\n```"],
  ["No formula at all.", "No formula at all."],
  ["Between $10 and $20 there is $n$.", "Between \\$10 and \\$20 there is $n$."],
  ["Already escaped: \\$5.", "Already escaped: \\$5."],
])("%j", (text, unified) => {
  expect(unifyMath(text)).toBe(unified);
});
