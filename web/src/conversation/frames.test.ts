// @vitest-environment node
import { beforeEach, expect, test, vi } from "vitest";
import { frames } from "./frames";

let nextFrame: (() => void) | null = null;

beforeEach(() => {
  vi.useFakeTimers();
  nextFrame = null;
  vi.stubGlobal("requestAnimationFrame", (work: () => void) => {
    nextFrame = work;
    return 1;
  });
  vi.stubGlobal("cancelAnimationFrame", () => {
    nextFrame = null;
  });
  return () => vi.useRealTimers();
});

test("however often it is asked for, the work is done once a frame", () => {
  const work = vi.fn();
  const due = frames(work);
  due.request();
  due.request();
  expect(work).not.toHaveBeenCalled();
  nextFrame?.();
  expect(work).toHaveBeenCalledTimes(1);
  vi.runAllTimers();
  expect(work).toHaveBeenCalledTimes(1);
  due.request();
  nextFrame?.();
  expect(work).toHaveBeenCalledTimes(2);
});

test("a page that nobody sees has no frames, and works all the same", () => {
  const work = vi.fn();
  frames(work).request();
  vi.advanceTimersByTime(500);
  expect(work).toHaveBeenCalledTimes(1);
  expect(nextFrame).toBeNull();
});

test("work can be done at once, if there is any", () => {
  const work = vi.fn();
  const due = frames(work);
  due.flush();
  expect(work).not.toHaveBeenCalled();
  due.request();
  due.flush();
  expect(work).toHaveBeenCalledTimes(1);
  vi.runAllTimers();
  expect(work).toHaveBeenCalledTimes(1);
});

test("work that was cancelled is not done", () => {
  const work = vi.fn();
  const due = frames(work);
  due.request();
  due.cancel();
  vi.runAllTimers();
  expect(work).not.toHaveBeenCalled();
});
