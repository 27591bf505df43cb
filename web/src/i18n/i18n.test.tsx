import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, describe, expect, test } from "vitest";
import { formatOf } from "./format";
import { I18nProvider, preferred, useI18n } from "./i18n";

beforeEach(() => localStorage.clear());

function Page() {
  const { texts, setLanguage } = useI18n();
  return (
    <button type="button" onClick={() => setLanguage("ja")}>
      {texts.composer.send}
    </button>
  );
}

describe("the language", () => {
  test.each([
    [["ja-JP", "en"], "ja"],
    [["zh-Hant-TW"], "zh"],
    [["de-DE", "fr", "zh-CN"], "zh"],
    [["de-DE"], "en"],
    [[], "en"],
  ])("of a browser that wants %j is %s", (wanted, language) => {
    expect(preferred(wanted)).toBe(language);
  });

  test("can be chosen, is kept, and is said to the browser", async () => {
    const first = render(<Page />, { wrapper: I18nProvider });
    await userEvent.click(screen.getByRole("button", { name: "Send" }));
    expect(screen.getByRole("button", { name: "送信" })).toBeVisible();
    expect(document.documentElement.lang).toBe("ja");
    first.unmount();
    render(<Page />, { wrapper: I18nProvider });
    expect(screen.getByRole("button", { name: "送信" })).toBeVisible();
  });
});

describe("durations", () => {
  test.each([
    [0, "0.0 s"],
    [0.44, "0.4 s"],
    [9.94, "9.9 s"],
    [9.96, "10 s"],
    [59.6, "1 min 0 s"],
    [125, "2 min 5 s"],
    [3599.7, "1 h 0 min"],
    [3840, "1 h 4 min"],
    [-1, "0.0 s"],
  ])("%d seconds are %j", (seconds, text) => {
    expect(formatOf("en").duration(seconds).replaceAll("\u00a0", " ")).toBe(text);
  });

  test("are written as in Japanese and Chinese", () => {
    expect(formatOf("ja").duration(125)).toBe("2\u00a0分 5\u00a0秒");
    expect(formatOf("zh").duration(3840)).toBe("1\u00a0小时 4\u00a0分");
  });
});

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1234, "1.2 kB"],
  [12_345, "12 kB"],
  [999_600, "1.0 MB"],
  [2_340_000, "2.3 MB"],
])("%d bytes are %j", (size, text) => {
  expect(formatOf("en").bytes(size).replace("\u00a0", " ")).toBe(text);
});

test.each([
  [0, "$0.00"],
  [0.00012, "$0.00012"],
  [0.0123, "$0.012"],
  [1.5, "$1.50"],
])("%d dollars are %j", (dollars, text) => {
  expect(formatOf("en").cost(dollars)).toBe(text);
});
