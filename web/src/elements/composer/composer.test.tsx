import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import type { Interrupt } from "../../conversation/conversation";
import { render } from "../../testing/render";
import { Composer, type RunControls } from "./composer";

function controls(changes: Partial<RunControls> = {}): RunControls {
  return {
    ending: null,
    queued: [],
    onStop: vi.fn(),
    onCancel: vi.fn(),
    onEditQueued: vi.fn(),
    onTakeBack: vi.fn(),
    ...changes,
  };
}

const queued: Interrupt = {
  kind: "interrupt",
  key: "i",
  id: "int_1",
  content: "Only Oslo",
  state: "queued",
  iteration: null,
};

const field = () => screen.getByRole("textbox", { name: "Message" });

describe("the message field", () => {
  test("sends with Enter, and is empty then", async () => {
    const onSend = vi.fn(() => Promise.resolve(true));
    const { user } = render(<Composer id="c" onSend={onSend} />);
    await user.type(field(), "  What time is it?{Enter}");
    expect(onSend).toHaveBeenCalledExactlyOnceWith("What time is it?");
    expect(field()).toHaveValue("");
  });

  test("breaks the line with Shift+Enter", async () => {
    const onSend = vi.fn(() => Promise.resolve(true));
    const { user } = render(<Composer id="c" onSend={onSend} />);
    await user.type(field(), "one{Shift>}{Enter}{/Shift}two");
    expect(field()).toHaveValue("one\ntwo");
    expect(onSend).not.toHaveBeenCalled();
  });

  test("does not send the Enter that ends the composition of a word", () => {
    const onSend = vi.fn(() => Promise.resolve(true));
    render(<Composer id="c" onSend={onSend} />);
    fireEvent.change(field(), { target: { value: "にほん" } });
    fireEvent.keyDown(field(), { key: "Enter", isComposing: true });
    fireEvent.keyDown(field(), { key: "Enter", keyCode: 229 });
    expect(onSend).not.toHaveBeenCalled();
  });

  test("sends nothing that is blank", async () => {
    const onSend = vi.fn(() => Promise.resolve(true));
    const { user } = render(<Composer id="c" onSend={onSend} />);
    await user.type(field(), "   {Enter}");
    expect(onSend).not.toHaveBeenCalled();
    expect(screen.getByRole("button", { name: "Send" })).toBeDisabled();
  });

  test("gives back what could not be sent", async () => {
    const { user } = render(<Composer id="c" onSend={() => Promise.resolve(false)} />);
    await user.type(field(), "What time is it?{Enter}");
    expect(field()).toHaveValue("What time is it?");
  });

  test("gives it back before what was written meanwhile", async () => {
    let refuse = () => {};
    const sending = new Promise<boolean>((resolve) => {
      refuse = () => resolve(false);
    });
    const { user } = render(<Composer id="c" onSend={() => sending} />);
    await user.type(field(), "What time is it?{Enter}");
    await user.type(field(), "And where?");
    refuse();
    await waitFor(() => expect(field()).toHaveValue("What time is it?\n\nAnd where?"));
  });

  test("asks to edit the last question with the arrow up, only when it is empty", async () => {
    const onEditLast = vi.fn();
    const { user } = render(<Composer id="c" onSend={() => Promise.resolve(true)} onEditLast={onEditLast} />);
    await user.type(field(), "a{ArrowUp}");
    expect(onEditLast).not.toHaveBeenCalled();
    await user.type(field(), "{Backspace}{ArrowUp}");
    expect(onEditLast).toHaveBeenCalledOnce();
  });
});

describe("while a run is at work", () => {
  test("what is sent goes to the agent", async () => {
    const onSend = vi.fn(() => Promise.resolve(true));
    const { user } = render(<Composer id="c" onSend={onSend} run={controls()} />);
    await user.type(field(), "Only Oslo");
    await user.click(screen.getByRole("button", { name: "Send to the running agent" }));
    expect(onSend).toHaveBeenCalledExactlyOnceWith("Only Oslo");
  });

  test("it can be stopped and cancelled", async () => {
    const run = controls();
    const { user } = render(<Composer id="c" onSend={() => Promise.resolve(true)} run={run} />);
    await user.click(screen.getByRole("button", { name: /^Stop/ }));
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(run.onStop).toHaveBeenCalledOnce();
    expect(run.onCancel).toHaveBeenCalledOnce();
  });

  test("a stopping run can only be cancelled", () => {
    render(<Composer id="c" onSend={() => Promise.resolve(true)} run={controls({ ending: "stop" })} />);
    expect(screen.getByRole("button", { name: /^Stopping/ })).toBeDisabled();
    expect(screen.getByRole("button", { name: "Cancel" })).toBeEnabled();
  });

  test("what waits to be read can be changed", async () => {
    const run = controls({ queued: [queued] });
    const { user } = render(<Composer id="c" onSend={() => Promise.resolve(true)} run={run} />);
    const list = screen.getByRole("list", { name: "Waiting to be read by the agent" });
    await user.click(within(list).getByRole("button", { name: "Edit" }));
    const editing = within(list).getByRole("textbox", { name: "Edit the message" });
    await user.clear(editing);
    await user.type(editing, "Only Kyoto{Enter}");
    expect(run.onEditQueued).toHaveBeenCalledExactlyOnceWith("int_1", "Only Kyoto");
  });

  test("what waits to be read can be taken back", async () => {
    const run = controls({ queued: [queued] });
    const { user } = render(<Composer id="c" onSend={() => Promise.resolve(true)} run={run} />);
    await user.click(screen.getByRole("button", { name: "Take back" }));
    expect(run.onTakeBack).toHaveBeenCalledExactlyOnceWith("int_1");
  });
});
