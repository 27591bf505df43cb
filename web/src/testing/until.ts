import { vi } from "vitest";

/** Wait until something holds; on a busy machine that may take a while. */
export async function until(holds: () => boolean): Promise<void> {
  await vi.waitUntil(holds, { timeout: 10_000, interval: 5 });
}
