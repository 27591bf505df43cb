/**
 * Server-sent events out of text that arrives in pieces, cut anywhere (pure, but for what is left of the last piece).
 *
 * The format is the HTML standard's: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */

export interface ServerSentEvent {
  /** The last id that was sent, with this event or before it; empty when there was none. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

export class SseDecoder {
  /** How long the service wants a client to wait before it comes back, in milliseconds; null when it did not say. */
  retry: number | null = null;

  #begun: string[] = [];
  #atStart = true;
  #afterCarriageReturn = false;

  #id = "";
  #event = "";
  #data: string[] = [];

  /** Take the next piece and return the events that it completes. What never gets its empty line is no event. */
  push(piece: string): ServerSentEvent[] {
    const found: ServerSentEvent[] = [];
    if (piece === "") return found;
    let start = 0;
    if (this.#atStart && piece.charCodeAt(0) === BYTE_ORDER_MARK) start = 1;
    if (this.#afterCarriageReturn && piece.charCodeAt(0) === LINE_FEED) start = 1;
    this.#atStart = false;

    // Only the new piece is searched, and a line is joined when it is whole: an event may be large.
    LINE_END.lastIndex = start;
    for (let end = LINE_END.exec(piece); end !== null; end = LINE_END.exec(piece)) {
      this.#begun.push(piece.slice(start, end.index));
      const event = this.#line(this.#begun.join(""));
      this.#begun = [];
      if (event !== null) found.push(event);
      start = LINE_END.lastIndex;
    }
    if (start < piece.length) this.#begun.push(piece.slice(start));
    this.#afterCarriageReturn = piece.endsWith("\r");
    return found;
  }

  #line(line: string): ServerSentEvent | null {
    if (line === "") return this.#complete();
    const colon = line.indexOf(":");
    if (colon === 0) return null; // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    switch (field) {
      case "data":
        this.#data.push(value);
        break;
      case "event":
        this.#event = value;
        break;
      case "id":
        if (!value.includes("\0")) this.#id = value;
        break;
      case "retry":
        if (/^[0-9]+$/.test(value)) this.retry = Number(value);
        break;
    }
    return null;
  }

  #complete(): ServerSentEvent | null {
    const event = { id: this.#id, event: this.#event || "message", data: this.#data.join("\n") };
    const empty = this.#data.length === 0;
    this.#event = "";
    this.#data = [];
    return empty ? null : event;
  }
}

const BYTE_ORDER_MARK = 0xfeff;
const LINE_FEED = 0x0a;
const LINE_END = /\r\n|\n|\r/g;
