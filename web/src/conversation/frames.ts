/** Work that is due at the next frame, all of it at once. */

export interface Frames {
  /** Have the work done at the next frame. */
  request(): void;
  /** Do it now, if it was requested. */
  flush(): void;
  /** Forget it. */
  cancel(): void;
}

/** A page that nobody sees has no frames; it works at this pace instead, in milliseconds. */
const HIDDEN_PACE = 500;

export function frames(work: () => void): Frames {
  let frame: number | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;

  function cancel(): void {
    if (frame !== null) cancelAnimationFrame(frame);
    if (timer !== null) clearTimeout(timer);
    frame = timer = null;
  }

  function run(): void {
    cancel();
    work();
  }

  return {
    request() {
      if (frame !== null || timer !== null) return;
      timer = setTimeout(run, HIDDEN_PACE);
      frame = requestAnimationFrame(run);
    },
    flush() {
      if (frame !== null || timer !== null) run();
    },
    cancel,
  };
}
