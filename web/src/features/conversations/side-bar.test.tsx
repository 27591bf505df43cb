import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ConversationStoresProvider } from "../../conversation/use-conversation";
import { installPopovers } from "../../testing/popovers";
import { render } from "../../testing/render";
import { SideBar } from "./side-bar";

interface Kept {
  id: string;
  title: string;
}

let kept: Kept[];
let broken: boolean;
const asked: string[] = [];

/** The service's list of conversations, in memory. */
async function service(address: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const url = new URL(String(address));
  const method = init.method ?? "GET";
  asked.push(`${method} ${url.pathname}${url.search}`);
  if (broken) return Response.json({ title: "Broken", detail: "The database is locked." }, { status: 500 });
  const id = url.pathname.split("/")[3];
  const q = url.searchParams.get("q")?.toLowerCase() ?? "";
  if (method === "PATCH") {
    const { title } = JSON.parse(String(init.body));
    kept = kept.map((one) => (one.id === id ? { ...one, title } : one));
  }
  if (method === "DELETE") {
    kept = kept.filter((one) => one.id !== id);
    return new Response(null, { status: 204 });
  }
  const now = new Date().toISOString();
  const conversations = kept
    .filter((one) => one.title.toLowerCase().includes(q))
    .map((one) => ({ ...one, created_at: now, updated_at: now }));
  return Response.json(id === undefined ? { conversations, next: null } : conversations.find((one) => one.id === id));
}

const onOpen = vi.fn();
const onNew = vi.fn();

function show(currentId: string | null = null) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(
    <QueryClientProvider client={queries}>
      <ConversationStoresProvider>
        <SideBar currentId={currentId} onOpen={onOpen} onNew={onNew} />
      </ConversationStoresProvider>
    </QueryClientProvider>,
  );
}

beforeAll(installPopovers);

beforeEach(() => {
  kept = [
    { id: "c1", title: "Teapots for Nara" },
    { id: "c2", title: "Days until spring" },
  ];
  broken = false;
  asked.length = 0;
  vi.stubGlobal("fetch", service);
  onOpen.mockReset();
  onNew.mockReset();
});

describe("the side bar", () => {
  test("lists the conversations and marks the one that is open", async () => {
    show("c2");
    const list = await screen.findByRole("navigation", { name: "Conversations" });
    expect(await within(list).findByRole("heading", { name: "Today" })).toBeVisible();
    expect(within(list).getByRole("link", { name: "Days until spring" })).toHaveAttribute("aria-current", "page");
    expect(within(list).getByRole("link", { name: "Teapots for Nara" })).not.toHaveAttribute("aria-current");
  });

  test("leads to a conversation, and to a new one", async () => {
    const { user } = show();
    await user.click(await screen.findByRole("link", { name: "Teapots for Nara" }));
    expect(onOpen).toHaveBeenCalledExactlyOnceWith("c1");
    await user.click(screen.getByRole("link", { name: "New conversation" }));
    expect(onNew).toHaveBeenCalledOnce();
  });

  test("searches what is typed, once it rests", async () => {
    const { user } = show();
    await screen.findByRole("link", { name: "Teapots for Nara" });
    await user.type(screen.getByRole("searchbox", { name: "Search conversations" }), "spring");
    await waitFor(() => expect(screen.queryByRole("link", { name: "Teapots for Nara" })).toBeNull());
    expect(screen.getByRole("link", { name: "Days until spring" })).toBeVisible();
    expect(asked.filter((one) => one.includes("q="))).toEqual(["GET /api/conversations?limit=50&q=spring"]);
  });

  test("says when nothing is found, and Esc brings all back", async () => {
    const { user } = show();
    const field = screen.getByRole("searchbox", { name: "Search conversations" });
    await user.type(field, "nowhere");
    expect(await screen.findByText("Nothing found for “nowhere”")).toBeVisible();
    await user.type(field, "{Escape}");
    expect(field).toHaveValue("");
    expect(await screen.findByRole("link", { name: "Teapots for Nara" })).toBeVisible();
  });

  test("searches with Ctrl+K and begins anew with Ctrl+Shift+O", async () => {
    const { user } = show();
    await user.keyboard("{Control>}k{/Control}");
    await waitFor(() => expect(screen.getByRole("searchbox", { name: "Search conversations" })).toHaveFocus());
    await user.keyboard("{Control>}{Shift>}O{/Shift}{/Control}");
    expect(onNew).toHaveBeenCalledOnce();
  });

  test("renames a conversation", async () => {
    const { user } = show();
    await user.click(await screen.findByRole("button", { name: "Actions for “Teapots for Nara”" }));
    await user.click(screen.getByRole("menuitem", { name: "Rename" }));
    const dialog = screen.getByRole("dialog", { name: "Rename conversation" });
    const title = within(dialog).getByRole("textbox", { name: "Title" });
    expect(title).toHaveFocus();
    await user.clear(title);
    await user.type(title, "Cups for Nara{Enter}");
    expect(await screen.findByRole("link", { name: "Cups for Nara" })).toBeVisible();
    expect(screen.queryByRole("dialog")).toBeNull();
  });

  test("deletes a conversation only when that is confirmed", async () => {
    const { user } = show("c1");
    const actions = { name: "Actions for “Teapots for Nara”" };
    await user.click(await screen.findByRole("button", actions));
    await user.click(screen.getByRole("menuitem", { name: "Delete" }));
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Cancel" }));
    expect(kept).toHaveLength(2);
    await user.click(screen.getByRole("button", actions));
    await user.click(screen.getByRole("menuitem", { name: "Delete" }));
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(screen.queryByRole("link", { name: "Teapots for Nara" })).toBeNull());
    expect(onNew).toHaveBeenCalledOnce();
    expect(screen.getByText("Conversation deleted")).toBeVisible();
  });

  test("says when the list cannot be had, and tries again", async () => {
    broken = true;
    const { user } = show();
    expect(await screen.findByText("The conversations could not be loaded.")).toBeVisible();
    broken = false;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByRole("link", { name: "Teapots for Nara" })).toBeVisible();
  });

  test("is empty at first", async () => {
    kept = [];
    show();
    expect(await screen.findByText("No conversations yet")).toBeVisible();
  });
});
