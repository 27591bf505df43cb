import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { render } from "../../testing/render";
import { Answer } from "./answer";

test("an answer that is being written is busy", () => {
  render(<Answer answer={{ state: "streaming", text: "It is", attempt: 1 }} />);
  expect(screen.getByRole("group", { name: "Answer" })).toHaveAttribute("aria-busy", "true");
});

test("an answer that had to begin anew says so while it is written", () => {
  const { rerender } = render(<Answer answer={{ state: "streaming", text: "It", attempt: 2 }} />);
  expect(screen.getByText("The answer broke off and is written anew.")).toBeVisible();
  rerender(<Answer answer={{ state: "complete", text: "It is noon.", attempt: 2 }} />);
  expect(screen.queryByText("The answer broke off and is written anew.")).toBeNull();
});

test("a partial answer says that it is one", () => {
  render(<Answer answer={{ state: "partial", text: "It is", attempt: 1 }} />);
  expect(screen.getByRole("group", { name: "Answer" })).toHaveTextContent("the run ended before it was complete");
});

test("without an answer there is nothing", () => {
  render(<Answer answer={{ state: "none", text: "", attempt: 1 }} />);
  expect(screen.queryByRole("group", { name: "Answer" })).toBeNull();
});
