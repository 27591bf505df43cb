/**
 * Reads of runs that ended, few at a time: the reader scrolls through many, and a browser has only some connections.
 * What was asked for last is what the reader looks at, so it comes first.
 */

type Read = () => Promise<void>;

export class ReadingQueue {
  readonly #most: number;
  readonly #waiting = new Map<string, Read>();
  #reading = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Have `read` called when there is room; it must not throw. */
  add(key: string, read: Read): void {
    this.#waiting.delete(key);
    this.#waiting.set(key, read);
    this.#next();
  }

  /** Forget what has not begun. */
  remove(key: string): void {
    this.#waiting.delete(key);
  }

  clear(): void {
    this.#waiting.clear();
  }

  #next(): void {
    while (this.#reading < this.#most) {
      const last = [...this.#waiting].at(-1);
      if (last === undefined) return;
      const [key, read] = last;
      this.#waiting.delete(key);
      this.#reading += 1;
      void read().finally(() => {
        this.#reading -= 1;
        this.#next();
      });
    }
  }
}
