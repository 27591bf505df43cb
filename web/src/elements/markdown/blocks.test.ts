import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Block, type Cut, cutBlocks, NOTHING_CUT } from "./blocks";

const text = [
  "# Title",
  "A paragraph\nof two lines.",
  "- one\n- two\n\n  more of two",
  "```python\nprint(1)\n\nprint(2)\n```",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "> quoted\n> twice",
  "The end.\n",
].join("\n\n");

function grow(whole: string, cuts: readonly number[]): Cut {
  const ends = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b);
  const seen = ends.reduce<Cut>((cut, end) => cutBlocks(whole.slice(0, end), cut), NOTHING_CUT);
  return cutBlocks(whole, seen);
}

function over(cut: Cut): readonly Block[] {
  return cut.sections.flatMap((section) => section.blocks);
}

function texts(cut: Cut): readonly string[] {
  return [...over(cut), ...(cut.open === null ? [] : [cut.open])].map((block) => block.text);
}

describe("cutting a growing text", () => {
  test("gives a block for each part, and leaves the last one open", () => {
    const cut = cutBlocks(text);
    expect(over(cut).map((block) => block.text.trim().split("\n")[0])).toEqual([
      "# Title",
      "A paragraph",
      "- one",
      "```python",
      "| a | b |",
      "> quoted",
    ]);
    expect(cut.open?.text).toBe("The end.\n");
  });

  test("loses nothing, wherever it is looked at on the way", () => {
    const parts = fc.array(fc.constantFrom(...text.split("\n"), "", "```", "~~~", "  x", "1.", "-", "===", "<div>"));
    fc.assert(
      fc.property(parts, fc.array(fc.nat()), (lines, cuts) => {
        const whole = lines.join("\n");
        expect(texts(grow(whole, cuts)).join("")).toBe(whole);
      }),
    );
  });

  test("comes out the same, however it arrived", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
        expect(texts(grow(text, cuts))).toEqual(texts(cutBlocks(text)));
      }),
    );
  });

  test("keeps closed blocks as they are, so that they are not rendered again", () => {
    const before = cutBlocks(text);
    const after = cutBlocks(`${text}And more.\n\nAnd yet more.\n`, before);
    over(before).forEach((block, index) => {
      expect(over(after)[index]).toBe(block);
    });
  });

  test("puts the blocks of a long text into sections, and leaves those that are full alone", () => {
    const long = cutBlocks(text.repeat(60));
    const longer = cutBlocks(`${text.repeat(60)}\nAnd more.\n\nThe end.\n`, long);
    expect(long.sections.length).toBeGreaterThan(2);
    long.sections.slice(0, -1).forEach((section, index) => {
      expect(longer.sections[index]).toBe(section);
    });
    expect(
      over(long)
        .map((block) => block.text)
        .join("") + long.open?.text,
    ).toBe(long.text);
  });

  test("begins anew when the text is another one", () => {
    const before = cutBlocks(text);
    expect(texts(cutBlocks("Something else.", before))).toEqual(["Something else."]);
  });

  test("an open fence is one block until it is closed", () => {
    const open = cutBlocks("```js\nlet a = 1;\n\n# no title\n");
    expect(open.sections).toEqual([]);
    const closed = cutBlocks("```js\nlet a = 1;\n\n# no title\n```\n\nText\n", open);
    expect(texts(closed)).toHaveLength(2);
  });
});
