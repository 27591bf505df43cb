import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import type { Outcome } from "../../conversation/conversation";
import { render } from "../../testing/render";
import { RunFooter } from "./run-footer";

const outcome: Outcome = {
  stopReason: "answer",
  iterations: 3,
  usage: {
    prompt_tokens: 12_345,
    completion_tokens: 234,
    cached_tokens: 8000,
    reasoning_tokens: null,
    calls: 4,
    unreported: 0,
  },
  elapsed: 71,
  cost: 0.00123,
};

const about = () => screen.getByRole("group", { name: "About this answer" });

test("tells how it ended, time, steps, tokens and cost", () => {
  render(<RunFooter outcome={outcome} startedAt={0} model={null} agent={null} answer="Yes." />);
  for (const fact of ["Answered", "1 min 11 s", "3 steps", "12.3k tokens in (8k cached)", "234 out", "$0.00123"]) {
    expect(about()).toHaveTextContent(fact);
  }
});

test("says why a run ended early, and nothing that is not known", () => {
  const usage = { ...outcome.usage, prompt_tokens: null, completion_tokens: null, cached_tokens: null };
  render(
    <RunFooter
      outcome={{ ...outcome, stopReason: "max_time", usage, cost: null }}
      startedAt={0}
      model={null}
      agent={null}
      answer=""
    />,
  );
  expect(about()).toHaveTextContent("Limit of time reached");
  expect(about()).not.toHaveTextContent(/\$|null|NaN| in| out/);
});

test("copies the answer and asks again", async () => {
  const onRetry = vi.fn();
  const { user } = render(
    <RunFooter outcome={outcome} startedAt={0} model={null} agent={null} answer="**Yes.**" onRetry={onRetry} />,
  );
  await user.click(screen.getByRole("button", { name: "Copy answer" }));
  expect(await navigator.clipboard.readText()).toBe("**Yes.**");
  await user.click(screen.getByRole("button", { name: "Ask again" }));
  expect(onRetry).toHaveBeenCalledOnce();
});

test("an earlier answer cannot be asked for again", () => {
  render(<RunFooter outcome={outcome} startedAt={0} model={null} agent={null} answer="Yes." />);
  expect(screen.queryByRole("button", { name: "Ask again" })).toBeNull();
});
