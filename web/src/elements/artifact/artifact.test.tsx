import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { render } from "../../testing/render";
import { ArtifactCard } from "./artifact-card";
import { artifactKind } from "./artifact-kind";
import { readCsv } from "./csv";

const html = { name: "report.html", media_type: "text/html", size: 561, id: "art_1" };

function holding(text: string) {
  return () => Promise.resolve(new Blob([text]));
}

describe("an artifact", () => {
  test("says what it is", () => {
    render(<ArtifactCard artifact={html} />);
    expect(screen.getByRole("group", { name: "Artifact report.html" })).toHaveTextContent("Web page · 561 B");
  });

  test("of HTML is shown in a frame without rights", async () => {
    const { user } = render(<ArtifactCard artifact={html} />, { artifact: holding("<p>Hello</p>") });
    await user.click(screen.getByRole("button", { name: /^Open report\.html/ }));
    const frame = await screen.findByTitle(/Preview of report\.html/);
    expect(frame).toHaveAttribute("sandbox", "allow-scripts");
    expect(frame).toHaveAttribute("src", "/frame.html");
  });

  test("can be looked at as it is written", async () => {
    const { user } = render(<ArtifactCard artifact={html} />, { artifact: holding("<p>Hello</p>") });
    await user.click(screen.getByRole("button", { name: /^Open report\.html/ }));
    await user.click(await screen.findByRole("button", { name: "Source" }));
    const source = await screen.findByRole("figure");
    expect(source).toHaveTextContent("<p>Hello</p>");
  });

  test("of values is shown as a table", async () => {
    const csv = { ...html, name: "stock.csv", media_type: "text/csv" };
    const { user } = render(<ArtifactCard artifact={csv} />, { artifact: holding("city,units\nOslo,260\nKyoto,40\n") });
    await user.click(screen.getByRole("button", { name: /^Open stock\.csv/ }));
    const table = await screen.findByRole("table");
    expect(
      within(table)
        .getAllByRole("columnheader")
        .map((cell) => cell.textContent),
    ).toEqual(["city", "units"]);
    expect(within(table).getAllByRole("row")).toHaveLength(3);
  });

  test("that cannot be loaded says so", async () => {
    const { user } = render(<ArtifactCard artifact={html} />);
    await user.click(screen.getByRole("button", { name: /^Open report\.html/ }));
    await waitFor(() => expect(screen.getByText("The artifact could not be loaded.")).toBeVisible());
  });

  test("that is not stored cannot be opened", () => {
    render(<ArtifactCard artifact={{ name: "a.txt", media_type: "text/plain", size: 1 }} />);
    expect(screen.getByRole("button", { name: /^Open a\.txt/ })).toBeDisabled();
    expect(screen.queryByRole("button", { name: /Download/ })).toBeNull();
  });
});

test.each([
  ["text/html; charset=utf-8", "html"],
  ["image/svg+xml", "drawing"],
  ["IMAGE/PNG", "image"],
  ["text/markdown", "markdown"],
  ["text/csv", "csv"],
  ["text/x-python", "text"],
  ["application/json", "text"],
  ["application/ld+json", "text"],
  ["application/pdf", "other"],
  ["", "other"],
])("%j is shown as %j", (type, kind) => {
  expect(artifactKind(type)).toBe(kind);
});

describe("a table of values", () => {
  test.each([
    [
      "a,b\n1,2\n",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      '"a, b","c ""d"""\r\nx,"two\nlines"',
      [
        ["a, b", 'c "d"'],
        ["x", "two\nlines"],
      ],
    ],
    [
      "a;b\n1;2",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "a\tb\n1\t2",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "\uFEFFa,b\n\n1,2",
      [
        ["a", "b"],
        ["1", "2"],
      ],
    ],
    [
      "a,b\n1,",
      [
        ["a", "b"],
        ["1", ""],
      ],
    ],
    ['"never closed', [["never closed"]]],
    ["", []],
  ])("%j", (text, rows) => {
    expect(readCsv(text, 100).rows).toEqual(rows);
  });

  test("counts the rows it does not keep", () => {
    expect(readCsv("a\n1\n2\n3\n", 2)).toEqual({ rows: [["a"], ["1"]], total: 4 });
  });
});
