// @vitest-environment node
import { expect, test } from "vitest";
import { ReadingQueue } from "./reading-queue";

/** Reads that end when the test says so. */
function reads() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const read = (key: string) => () => {
    begun.push(key);
    return new Promise<void>((resolve) => ends.set(key, resolve));
  };
  const end = async (key: string) => {
    ends.get(key)?.();
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { begun, read, end };
}

test("so many are read at once, then the one that was asked for last", async () => {
  const queue = new ReadingQueue(2);
  const { begun, read, end } = reads();
  for (const key of ["a", "b", "c", "d"]) queue.add(key, read(key));
  expect(begun).toEqual(["a", "b"]);
  await end("a");
  await end("b");
  expect(begun).toEqual(["a", "b", "d", "c"]);
});

test("what was taken out is not read, and what is asked for again comes first", async () => {
  const queue = new ReadingQueue(1);
  const { begun, read, end } = reads();
  for (const key of ["a", "b", "c", "d"]) queue.add(key, read(key));
  queue.remove("d");
  queue.add("b", read("b"));
  await end("a");
  await end("b");
  await end("c");
  expect(begun).toEqual(["a", "b", "c"]);
});

test("after clearing nothing more is read", async () => {
  const queue = new ReadingQueue(1);
  const { begun, read, end } = reads();
  for (const key of ["a", "b"]) queue.add(key, read(key));
  queue.clear();
  await end("a");
  expect(begun).toEqual(["a"]);
});
