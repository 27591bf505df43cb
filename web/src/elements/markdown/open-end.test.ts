import { expect, test } from "vitest";
import { closeOpenEnd } from "./open-end";

test.each([
  ["plain words", "plain words"],
  ["a **bold", "a **bold**"],
  ["a **bold** word", "a **bold** word"],
  ["a ~~wrong", "a ~~wrong~~"],
  ["call `fetch", "call `fetch`"],
  ["call `fetch` now", "call `fetch` now"],
  ["a ``two `ticks", "a ``two `ticks``"],
  ["see [the docs](https://exa", "see the docs"],
  ["see [the docs](https://example.com) too", "see [the docs](https://example.com) too"],
  ["an image ![of a cat](https://exa", "an image "],
  ["dangling **", "dangling "],
  ["```js\nconst a = **b", "```js\nconst a = **b"],
  ["first **closed**\n\nthen **open", "first **closed**\n\nthen **open**"],
  ["- item\n- **open", "- item\n- **open**"],
  ["2 * 3", "2 * 3"],
])("%j", (text, closed) => {
  expect(closeOpenEnd(text)).toBe(closed);
});
