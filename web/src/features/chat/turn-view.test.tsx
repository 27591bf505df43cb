import { screen } from "@testing-library/react";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { FRESH_RUN, type Run, type Turn } from "../../conversation/conversation";
import { ConversationStores } from "../../conversation/stores";
import { ConversationProvider, ConversationStoresProvider } from "../../conversation/use-conversation";
import { render } from "../../testing/render";
import { TurnView } from "./turn-view";

const answered: Run = {
  ...FRESH_RUN,
  activity: "ended",
  lastEvent: 7,
  answer: { state: "complete", text: "It is noon.", attempt: 1 },
  outcome: {
    stopReason: "answer",
    iterations: 1,
    usage: {
      prompt_tokens: null,
      completion_tokens: null,
      cached_tokens: null,
      reasoning_tokens: null,
      calls: 1,
      unreported: 1,
    },
    elapsed: 2,
    cost: null,
  },
};

const turn: Turn = {
  key: "t",
  runId: "r1",
  question: "How late is it?",
  agent: null,
  model: null,
  createdAt: 0,
  state: "finished",
  following: "read",
  ending: null,
  run: answered,
};

const fetched = vi.fn(() => new Promise<Response>(() => undefined));

function show(changes: Partial<Turn>, onAskAgain?: (turn: Turn, question: string) => void) {
  const stores = new ConversationStores();
  const shown = { ...turn, ...changes };
  stores.get("c").state.setState({ load: "ready", order: ["t"], turns: new Map([["t", shown]]), activeKey: null });
  return render(
    <ConversationStoresProvider stores={stores}>
      <ConversationProvider id="c">
        <TurnView turnKey="t" onAskAgain={onAskAgain} />
      </ConversationProvider>
    </ConversationStoresProvider>,
  );
}

beforeEach(() => {
  fetched.mockClear();
  vi.stubGlobal("fetch", fetched);
});

describe("a turn", () => {
  test("shows its question and its answer", () => {
    show({});
    const shown = screen.getByRole("article", { name: "How late is it?" });
    expect(shown).toHaveTextContent("How late is it?");
    expect(screen.getByRole("group", { name: "Answer" })).toHaveTextContent("It is noon.");
    expect(screen.getByRole("group", { name: "About this answer" })).toBeVisible();
  });

  test("whose events are not here yet is on its way", () => {
    show({ following: "reading", run: FRESH_RUN });
    expect(screen.getByText("Loading …")).toBeInTheDocument();
  });

  test("that has just been asked says so", () => {
    show({ runId: null, state: "running", following: "unread", run: FRESH_RUN });
    expect(screen.getByText("Starting …")).toBeVisible();
  });

  test("keeps what is known of it while the connection is lost", () => {
    const thought = { kind: "thought", key: "1", iteration: 1, thinking: false, reasoning: "I look it up." } as const;
    const run: Run = { ...FRESH_RUN, activity: "acting", lastEvent: 3, items: [thought] };
    show({ state: "running", following: "lost", run });
    expect(screen.getByText("I look it up.")).toBeVisible();
    expect(screen.getByRole("group", { name: "What the agent did" })).toBeVisible();
    expect(screen.getByText(/^Connection lost/)).toBeVisible();
  });

  test("that could not be had can be asked for again", async () => {
    const { user } = show({ following: "failed", run: FRESH_RUN });
    expect(screen.getByText("This turn could not be loaded.")).toBeVisible();
    fetched.mockClear();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(fetched).toHaveBeenCalledOnce();
  });

  test("can be asked again when it is the last one", async () => {
    const onAskAgain = vi.fn();
    const { user } = show({}, onAskAgain);
    await user.click(screen.getByRole("button", { name: "Ask again" }));
    expect(onAskAgain).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ runId: "r1" }), "How late is it?");
  });
});
