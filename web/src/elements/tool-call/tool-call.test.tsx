import { screen, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import type { ToolCall as Call } from "../../conversation/conversation";
import { render } from "../../testing/render";
import { argumentLine, resultLine } from "./summary-line";
import { ToolCall } from "./tool-call";
import { ToolCalls } from "./tool-calls";

const call: Call = {
  callId: "call_1",
  name: "list_stock",
  args: { product: "teapot", warehouse: "Oslo" },
  state: "done",
  startedAt: 0,
  elapsed: 1.84,
  observation: '{"units": 260}',
  error: null,
  artifacts: [],
};

describe("a tool call", () => {
  test("shows what ran, with what, how long, and what came of it", () => {
    render(<ToolCall call={call} />);
    const card = screen.getByRole("article", { name: "list_stock: Done" });
    expect(card).toHaveTextContent("teapot, Oslo");
    expect(card).toHaveTextContent("1.8 s");
    expect(card).toHaveTextContent("units: 260");
  });

  test("opens to its arguments and its result", async () => {
    const { user } = render(<ToolCall call={call} />);
    const toggle = screen.getByRole("button", { name: /list_stock/, expanded: false });
    await user.click(toggle);
    expect(toggle).toHaveAttribute("aria-expanded", "true");
    expect(screen.getByText("Arguments").closest("header")?.parentElement).toHaveTextContent('"warehouse": "Oslo"');
    expect(screen.getByText("Result").closest("header")?.parentElement).toHaveTextContent('"units": 260');
  });

  test("says its error without being opened", () => {
    render(<ToolCall call={{ ...call, state: "failed", error: "There is no warehouse 'Bergen'.", observation: "" }} />);
    const card = screen.getByRole("article", { name: "list_stock: Failed" });
    expect(card).toHaveTextContent("There is no warehouse 'Bergen'.");
  });

  test("counts the time while it runs, and can be cancelled once", async () => {
    const onCancel = vi.fn();
    const running: Call = { ...call, state: "running", elapsed: null, observation: "", startedAt: Date.now() - 3000 };
    const { user } = render(<ToolCall call={running} onCancel={onCancel} />);
    expect(screen.getByText(/^3\.\d\ss$/)).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Cancel list_stock" }));
    expect(onCancel).toHaveBeenCalledExactlyOnceWith("call_1");
    expect(screen.getByRole("button", { name: "Cancel list_stock" })).toBeDisabled();
    expect(screen.getByRole("article", { name: "list_stock: Being cancelled …" })).toBeVisible();
  });

  test("has nothing to cancel when it is over", () => {
    render(<ToolCall call={{ ...call, state: "cut-off", elapsed: null }} onCancel={() => undefined} />);
    expect(screen.getByRole("article", { name: "list_stock: Ended with the run" })).toBeVisible();
    expect(screen.queryByRole("button", { name: /Cancel/ })).toBeNull();
  });

  test("folds a long result", async () => {
    const observation = Array.from({ length: 40 }, (_, line) => `line ${line + 1}`).join("\n");
    const { user } = render(<ToolCall call={{ ...call, observation }} />);
    await user.click(screen.getByRole("button", { name: /list_stock/ }));
    expect(screen.queryByText(/line 40/)).toBeNull();
    await user.click(screen.getByRole("button", { name: "Show all 40 lines" }));
    expect(screen.getByText(/line 40/)).toBeVisible();
  });
});

test("calls of one step stand side by side", () => {
  const calls = ["Oslo", "Kyoto"].map((warehouse) => ({ ...call, callId: warehouse, args: { warehouse } }));
  render(<ToolCalls item={{ kind: "tool-calls", key: "1", iteration: 1, calls }} />);
  const list = screen.getByRole("list", { name: "2 tool calls, side by side" });
  expect(within(list).getAllByRole("article")).toHaveLength(2);
});

test.each([
  [{ expression: "1 + 1" }, "1 + 1"],
  [{ query: "teapots", limit: 10 }, "teapots, limit: 10"],
  [{ text: "two\n lines" }, "two lines"],
  [{ filter: { a: [1] } }, 'filter: {"a":[1]}'],
  [{}, ""],
])("arguments %j are told as %j", (args, line) => {
  expect(argumentLine(args)).toBe(line);
});

test.each([
  ["  \nfirst\nsecond", "first"],
  ['{"city": "Oslo", "days": 6}', "Oslo, days: 6"],
  ["{not json", "{not json"],
  ["", ""],
])("a result %j is told as %j", (text, line) => {
  expect(resultLine(text)).toBe(line);
});
