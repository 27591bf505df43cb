import { screen } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { FRESH_RUN, type Item, type Outcome, type Run } from "../../conversation/conversation";
import { render } from "../../testing/render";
import { Trace } from "./trace";

const outcome: Outcome = {
  stopReason: "answer",
  iterations: 3,
  usage: {
    prompt_tokens: 1,
    completion_tokens: 1,
    cached_tokens: null,
    reasoning_tokens: null,
    calls: 3,
    unreported: 0,
  },
  elapsed: 12,
  cost: null,
};

const items: readonly Item[] = [
  { kind: "divider", key: "d", originalMessages: 40, keptMessages: 12 },
  { kind: "thought", key: "t", iteration: 1, thinking: false, reasoning: "I look at the stock first." },
  {
    kind: "tool-calls",
    key: "c",
    iteration: 1,
    calls: [
      {
        callId: "1",
        name: "list_stock",
        args: {},
        state: "failed",
        startedAt: 0,
        elapsed: 1,
        observation: "",
        error: "no such warehouse",
        artifacts: [],
      },
    ],
  },
  { kind: "interrupt", key: "i", id: "1", content: "Only Oslo, please", state: "answered", iteration: 2 },
  { kind: "demotion", key: "m", reason: "The provider refuses tools for this model; it goes on in JSON mode." },
  { kind: "trouble", key: "e", message: "The provider answered 500.", recoverable: true },
];

const working: Run = { ...FRESH_RUN, lastEvent: 9, activity: "acting", items };
const ended: Run = { ...working, activity: "ended", outcome };

describe("a run at work", () => {
  test("shows everything that happens", () => {
    render(<Trace run={working} startedAt={Date.now() - 5000} />);
    expect(screen.getByText("I look at the stock first.")).toBeVisible();
    expect(screen.getByRole("article", { name: "list_stock: Failed" })).toBeVisible();
    expect(screen.getByText("Changed to a simpler way of calling tools")).toBeVisible();
    expect(screen.getByText("The provider answered 500.")).toBeVisible();
    expect(screen.getByText("Using tools …")).toBeVisible();
    expect(screen.getByText(/^5\.\d\ss$/)).toBeVisible();
  });

  test("says which phase it is in", () => {
    render(
      <Trace
        run={{ ...working, activity: "phase", phase: { name: "selecting_tools", totalTools: 40 } }}
        startedAt={0}
      />,
    );
    expect(screen.getByText("Choosing among 40 tools …")).toBeVisible();
  });

  test("names a phase that this page does not know", () => {
    render(
      <Trace run={{ ...working, activity: "phase", phase: { name: "warming_up", totalTools: null } }} startedAt={0} />,
    );
    expect(screen.getByText("warming up …")).toBeVisible();
  });

  test("says that it thinks, once", () => {
    const thought: Item = { kind: "thought", key: "t2", iteration: 2, thinking: true, reasoning: "" };
    render(<Trace run={{ ...working, activity: "thinking", items: [...items, thought] }} startedAt={0} />);
    expect(screen.getAllByText("Thinking …")).toHaveLength(1);
  });
});

describe("a run that has ended", () => {
  test("is one line, and what the person said stays in sight", () => {
    render(<Trace run={ended} startedAt={0} />);
    expect(screen.getByRole("button", { name: /Worked for 12\ss · 3 steps · 1 tool call · 1 failed/ })).toBeVisible();
    expect(screen.queryByText("I look at the stock first.")).toBeNull();
    expect(screen.getByRole("group", { name: "You added" })).toHaveTextContent("Only Oslo, please");
    expect(screen.getByText("Earlier context (28 messages) was summarised")).toBeVisible();
  });

  test("opens to everything", async () => {
    const { user } = render(<Trace run={ended} startedAt={0} />);
    await user.click(screen.getByRole("button", { name: /Worked for/, expanded: false }));
    expect(screen.getByText("I look at the stock first.")).toBeVisible();
    expect(screen.getByRole("article", { name: "list_stock: Failed" })).toBeVisible();
  });

  test("without anything to tell shows nothing", () => {
    render(<Trace run={{ ...ended, items: [] }} startedAt={0} />);
    expect(screen.queryByRole("group")).toBeNull();
  });

  test("keeps the reason of a failure in sight", () => {
    const failure: Item = { kind: "trouble", key: "f", message: "The key was refused.", recoverable: false };
    render(<Trace run={{ ...ended, items: [...items, failure] }} startedAt={0} />);
    expect(screen.getByText("The key was refused.")).toBeVisible();
    expect(screen.queryByText("The provider answered 500.")).toBeNull();
  });
});
