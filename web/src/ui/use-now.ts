import { useSyncExternalStore } from "react";

const TICK = 100;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      for (const each of listeners) each();
    }, TICK);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

const stopped = () => () => undefined;

/** The time in milliseconds, ten times a second while `running`; all that look share one timer. */
export function useNow(running: boolean): number {
  return useSyncExternalStore(running ? subscribe : stopped, () => now);
}
