import { screen } from "@testing-library/react";
import { beforeAll, expect, test, vi } from "vitest";
import { installPopovers } from "../../testing/popovers";
import { render } from "../../testing/render";
import { Picker } from "./picker";

beforeAll(installPopovers);

const models = [
  { name: null, label: "qwen2.5-0.5b" },
  { name: "smart", label: "gpt-5" },
];
const agents = [
  { name: null, label: "No agent in particular" },
  { name: "librarian", label: "librarian" },
];
const nothing = { model: null, agent: null, onModel: () => undefined, onAgent: () => undefined };

test("says which model answers where there is nothing to choose", () => {
  render(<Picker {...nothing} models={models.slice(0, 1)} agents={[]} />);
  expect(screen.getByText("qwen2.5-0.5b")).toBeVisible();
  expect(screen.queryByRole("button")).toBeNull();
});

test("shows what is chosen", () => {
  render(<Picker {...nothing} models={models} agents={agents} model="smart" agent="librarian" />);
  expect(screen.getByRole("button", { name: "Choose model and agent: librarian · gpt-5" })).toBeVisible();
});

test("lets a model and an agent be chosen", async () => {
  const onModel = vi.fn();
  const onAgent = vi.fn();
  const { user } = render(<Picker {...nothing} models={models} agents={agents} onModel={onModel} onAgent={onAgent} />);
  const button = screen.getByRole("button", { name: "Choose model and agent: qwen2.5-0.5b" });
  await user.click(button);
  expect(screen.getByRole("menuitemradio", { name: "qwen2.5-0.5b" })).toBeChecked();
  await user.click(screen.getByRole("menuitemradio", { name: "gpt-5" }));
  await user.click(button);
  await user.click(screen.getByRole("menuitemradio", { name: "librarian" }));
  expect(onModel).toHaveBeenCalledExactlyOnceWith("smart");
  expect(onAgent).toHaveBeenCalledExactlyOnceWith("librarian");
});

test("moves by the arrow keys", async () => {
  const { user } = render(<Picker {...nothing} models={models} agents={[]} />);
  await user.click(screen.getByRole("button"));
  expect(screen.getByRole("menuitemradio", { name: "qwen2.5-0.5b" })).toHaveFocus();
  await user.keyboard("{ArrowDown}");
  expect(screen.getByRole("menuitemradio", { name: "gpt-5" })).toHaveFocus();
  await user.keyboard("{ArrowDown}");
  expect(screen.getByRole("menuitemradio", { name: "qwen2.5-0.5b" })).toHaveFocus();
  await user.keyboard("{End}");
  expect(screen.getByRole("menuitemradio", { name: "gpt-5" })).toHaveFocus();
});
