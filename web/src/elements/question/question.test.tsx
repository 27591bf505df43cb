import { screen } from "@testing-library/react";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { render } from "../../testing/render";
import { Question } from "./question";

function Last({ onAskAgain }: { onAskAgain: (text: string) => void }) {
  const [open, setOpen] = useState(false);
  return <Question text="How late is it?" editing={{ open, setOpen }} onAskAgain={onAskAgain} />;
}

test("a question can be changed and asked again", async () => {
  const onAskAgain = vi.fn();
  const { user } = render(<Last onAskAgain={onAskAgain} />);
  await user.click(screen.getByRole("button", { name: "Edit and ask again" }));
  const field = screen.getByRole("textbox", { name: "Edit the question" });
  expect(field).toHaveFocus();
  await user.type(field, " In Oslo?");
  await user.click(screen.getByRole("button", { name: "Ask again" }));
  expect(onAskAgain).toHaveBeenCalledExactlyOnceWith("How late is it? In Oslo?");
});

test("Esc leaves a question as it was", async () => {
  const onAskAgain = vi.fn();
  const { user } = render(<Last onAskAgain={onAskAgain} />);
  await user.click(screen.getByRole("button", { name: "Edit and ask again" }));
  await user.keyboard("gone{Escape}");
  expect(screen.getByRole("group", { name: "You asked" })).toHaveTextContent("How late is it?");
  expect(onAskAgain).not.toHaveBeenCalled();
});

test("an earlier question can only be copied", async () => {
  const { user } = render(<Question text="How late is it?" />);
  expect(screen.queryByRole("button", { name: /Edit/ })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Copy" }));
  expect(await navigator.clipboard.readText()).toBe("How late is it?");
});

test("a long question is folded", async () => {
  const { user } = render(<Question text={Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n")} />);
  expect(screen.getByRole("group")).not.toHaveTextContent("line 29");
  await user.click(screen.getByRole("button", { name: "Show all" }));
  expect(screen.getByRole("group")).toHaveTextContent("line 29");
});

test("markup in a question is text", () => {
  const { container } = render(<Question text="<img src=x onerror=alert(1)> **bold**" />);
  expect(container.querySelector("img, strong")).toBeNull();
});
