// @vitest-environment node
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, expect, test } from "vitest";

/** What each folder may import beside itself and packages. Features are told apart by their names. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  conversation: ["protocol"],
  ui: [],
  i18n: [],
  elements: ["ui", "i18n", "conversation/conversation", "protocol/events"],
  features: ["elements", "ui", "i18n", "conversation", "protocol"],
  app: ["features", "elements", "ui", "i18n", "conversation", "protocol"],
};

const SOURCE = import.meta.dirname;
const FILES = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file),
);

function importsOf(file: string): string[] {
  const text = readFileSync(join(SOURCE, file), "utf8");
  const named = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) => match[1] ?? "");
  return named.map((path) => normalize(join(dirname(file), path)));
}

/** The part of the page to which a file belongs: its folder, and in features the feature. */
function partOf(path: string): string {
  const [folder = "", feature = ""] = path.split("/");
  return folder === "features" ? `${folder}/${feature}` : folder;
}

function isAllowed(from: string, to: string): boolean {
  if (partOf(from) === partOf(to)) return true;
  const allowed = MAY_IMPORT[from.split("/")[0] ?? ""] ?? [];
  if (partOf(to).startsWith("features/")) return allowed.includes("features");
  return allowed.some((place) => to === place || to.startsWith(`${place}/`));
}

describe("imports go the way the layers stand", () => {
  const parts = FILES.filter((file) => file.includes("/") && !file.startsWith("testing/"));

  test("there are files to look at", () => {
    expect(parts.length).toBeGreaterThan(50);
    expect(parts.flatMap(importsOf).length).toBeGreaterThan(100);
  });

  test("no file imports what it should not know", () => {
    const wrong = parts.flatMap((file) =>
      importsOf(file)
        .filter((imported) => !isAllowed(file, imported))
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(wrong).toEqual([]);
  });

  test("every folder has its place", () => {
    const folders = new Set(parts.map((file) => file.split("/")[0]));
    expect([...folders].sort()).toEqual(Object.keys(MAY_IMPORT).sort());
  });
});

test("a file knows one thing: none is long", () => {
  const long = FILES.map((file) => [file, readFileSync(join(SOURCE, file), "utf8").split("\n").length] as const)
    .filter(([file, lines]) => lines > 220 && !/^i18n\/\w\w\.ts$/.test(file))
    .map(([file, lines]) => `${relative(".", file)}: ${lines} lines`);
  expect(long).toEqual([]);
});
