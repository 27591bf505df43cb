import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, screen } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { keyRefused, keyStore, setKey } from "../../protocol/key";
import { render } from "../../testing/render";
import { KeyDialog } from "./key-dialog";
import { SettingsMenu } from "./settings-menu";

beforeEach(() => {
  localStorage.clear();
  act(() => setKey(""));
});

test("the appearance can be chosen, and is kept", async () => {
  const { user } = render(<SettingsMenu />);
  await user.click(screen.getByRole("button", { name: "Settings" }));
  await user.click(screen.getByRole("radio", { name: "Dark" }));
  expect(document.documentElement.dataset.theme).toBe("dark");
  expect(localStorage.getItem("actloop.theme")).toBe("dark");
  await user.click(screen.getByRole("radio", { name: "As the device" }));
  expect(document.documentElement.dataset.theme).toBeUndefined();
});

test("the language can be chosen", async () => {
  const { user } = render(<SettingsMenu />);
  await user.click(screen.getByRole("button", { name: "Settings" }));
  await user.click(screen.getByRole("radio", { name: "中文" }));
  expect(screen.getByRole("dialog", { name: "设置" })).toBeVisible();
  await user.click(screen.getByRole("button", { name: "关闭" }));
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a key is asked for when the service wants one, and forgotten on demand", async () => {
  const { user } = render(
    <QueryClientProvider client={new QueryClient()}>
      <KeyDialog />
      <SettingsMenu />
    </QueryClientProvider>,
  );
  expect(screen.queryByRole("dialog")).toBeNull();
  act(() => keyRefused(null));
  expect(screen.getByRole("dialog", { name: "This service wants a key" })).toBeVisible();
  await user.type(screen.getByLabelText("Key"), "wrong{Enter}");
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(keyStore.getState().key).toBe("wrong");

  act(() => keyRefused("wrong"));
  expect(screen.getByRole("alert")).toHaveTextContent("The service does not know this key.");
  await user.type(screen.getByLabelText("Key"), "right{Enter}");
  await user.click(screen.getByRole("button", { name: "Settings" }));
  await user.click(screen.getByRole("button", { name: "Forget the key" }));
  expect(keyStore.getState().key).toBeNull();
});
