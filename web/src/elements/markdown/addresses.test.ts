import { describe, expect, test } from "vitest";
import { imageSource, linkTarget } from "./addresses";

describe("a link leads", () => {
  test.each(["https://example.com/a?b#c", "http://example.com/", "mailto:a@example.com"])("to %s", (href) => {
    expect(linkTarget(href)).toBe(href);
  });

  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "file:///etc/passwd",
    "vbscript:x",
    "blob:https://example.com/1",
    "/api/conversations",
    "",
    undefined,
  ])("nowhere with %j", (href) => {
    expect(linkTarget(href)).toBeNull();
  });
});

describe("an image", () => {
  const origin = "https://app.local";

  test.each([
    ["/api/artifacts/art_1", { kind: "artifact", id: "art_1" }],
    ["https://app.local/api/artifacts/art_1", { kind: "artifact", id: "art_1" }],
    ["/api/files/7.png", { kind: "own", path: "/api/files/7.png" }],
    ["/api/runs/run_1/events", { kind: "unknown" }],
    [
      "https://evil.test/p.png?d=SECRET",
      { kind: "elsewhere", href: "https://evil.test/p.png?d=SECRET", host: "evil.test" },
    ],
    ["//evil.test/p.png", { kind: "elsewhere", href: "https://evil.test/p.png", host: "evil.test" }],
    [
      "https://app.local@evil.test/p.png",
      { kind: "elsewhere", href: "https://app.local@evil.test/p.png", host: "evil.test" },
    ],
    ["data:image/png;base64,AAAA", { kind: "unknown" }],
    ["javascript:alert(1)", { kind: "unknown" }],
    [undefined, { kind: "unknown" }],
  ])("at %j", (src, source) => {
    expect(imageSource(src, origin)).toEqual(source);
  });
});
