import { act, render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { setKey } from "../protocol/key";
import { answerFetch, json, oneRun } from "../testing/answer-fetch";
import { App } from "./app";
import { ErrorBoundary } from "./error-boundary";

// Loaded before, so that no test waits for it.
beforeAll(async () => {
  await import("../features/chat/conversation-view");
});

beforeEach(() => {
  vi.stubGlobal("matchMedia", () => ({ matches: true, addEventListener() {}, removeEventListener() {} }));
  vi.spyOn(navigator, "languages", "get").mockReturnValue(["en"]);
});

afterEach(() => act(() => history.replaceState(null, "", "/")));

function at(address: string) {
  history.replaceState(null, "", address);
  return { user: userEvent.setup(), ...render(<App />) };
}

test("the start has a field for a question and the list of conversations", async () => {
  answerFetch(oneRun("Cups", "plain-answer"));
  at("/");
  expect(await screen.findByRole("textbox", { name: /message/i })).toBeVisible();
  expect(await screen.findByRole("link", { name: "Cups" })).toHaveAttribute("href", "/c/c1");
  expect(document.title).toBe("actloop");
});

test("a conversation is shown by its address, and names the page", async () => {
  answerFetch(oneRun("Cups", "plain-answer"));
  at("/c/c1");
  await screen.findByText("What is a cup?");
  await screen.findByText("12 cups");
  expect(document.title).toBe("Cups · actloop");
});

test("the name of the page says that the agent is at work", async () => {
  answerFetch(oneRun("Cups", null));
  at("/c/c1");
  await screen.findByText("What is a cup?");
  expect(document.title).toBe("● Cups · actloop");
});

test("following a link changes the address, and going back works", async () => {
  answerFetch(oneRun("Cups", "plain-answer"));
  const { user } = at("/");
  await user.click(await screen.findByRole("link", { name: "Cups" }));
  expect(location.pathname).toBe("/c/c1");
  await screen.findByText("What is a cup?");
  await user.click(screen.getByRole("link", { name: "New conversation" }));
  expect(location.pathname).toBe("/");
  expect(document.title).toBe("actloop");
});

test("a conversation that is not there says so", async () => {
  answerFetch(oneRun("Cups", "plain-answer"));
  at("/c/other");
  expect(await screen.findByText(/or belongs to somebody else/)).toBeVisible();
});

test("an address that is none leads to the start", async () => {
  answerFetch(oneRun("Cups", "plain-answer"));
  const { user } = at("/nowhere");
  expect(await screen.findByText("This page does not exist")).toBeVisible();
  await user.click(screen.getByRole("button", { name: "Start a conversation" }));
  expect(location.pathname).toBe("/");
});

test("a service that wants a key is asked again with it", async () => {
  const known = oneRun("Cups", "plain-answer");
  let keyed = false;
  answerFetch((method, path) => (keyed ? known(method, path) : json({ title: "Unauthorized", detail: "" }, 401)));
  const { user } = at("/c/c1");
  const dialog = within(await screen.findByRole("dialog"));
  keyed = true;
  await user.type(dialog.getByLabelText(/key/i), "secret{Enter}");
  await screen.findByText("What is a cup?");
  expect(await screen.findByRole("link", { name: "Cups" })).toBeVisible();
  setKey("");
});

function Broken(): never {
  throw new Error("no");
}

test("what fails while it is drawn does not leave a blank page", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  render(
    <ErrorBoundary fallback={<p>It failed.</p>}>
      <Broken />
    </ErrorBoundary>,
  );
  expect(screen.getByText("It failed.")).toBeVisible();
});
