/** One request to the service: its address, its key, and what can go wrong as two errors. */

import { keyRefused, keyStore } from "./key";

/** The service answered, and the answer was no. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  readonly status: number;
  readonly title: string;
  /** A sentence for the reader; may be empty. */
  readonly detail: string;

  constructor(status: number, title: string, detail: string) {
    super(detail || title);
    this.status = status;
    this.title = title;
    this.detail = detail;
  }
}

/** The service did not answer. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** A key that has such a character is not one of the service's, which is asked and says so. */
const NEVER_IN_A_HEADER = /[^\x20-\x7e\x80-\xff]/g;

export interface RequestOptions {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | null | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Send a request and return the response when it is a success.
 *
 * @throws {ApiError} for any other status
 * @throws {Unreachable} when no response came
 * @throws the signal's reason when it was aborted
 */
export async function request(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
  const { body, query = {}, signal = null } = options;
  const address = new URL(path, location.href);
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined) address.searchParams.set(name, String(value));
  }
  const headers = new Headers(options.headers);
  const { key } = keyStore.getState();
  if (key !== null) headers.set("Authorization", `Bearer ${key.replace(NEVER_IN_A_HEADER, "?")}`);
  if (body !== undefined) headers.set("Content-Type", "application/json");

  let response: Response;
  try {
    response = await fetch(address, {
      method,
      headers,
      signal,
      body: body === undefined ? null : JSON.stringify(body),
      credentials: "same-origin",
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw new Unreachable("The service does not answer.", { cause: error });
  }
  if (response.ok) return response;
  if (response.status === 401) keyRefused(key);
  throw await problem(response);
}

/** As `request`; returns the body, which is taken for what the service's description says it is. */
export async function requestJson<T>(method: string, path: string, options?: RequestOptions): Promise<T> {
  const response = await request(method, path, options);
  try {
    return (await response.json()) as T;
  } catch (error) {
    options?.signal?.throwIfAborted();
    throw new Unreachable("The service's answer broke off.", { cause: error });
  }
}

async function problem(response: Response): Promise<ApiError> {
  const said: unknown = await response.json().catch(() => null);
  return new ApiError(response.status, textOf(said, "title") ?? response.statusText, textOf(said, "detail") ?? "");
}

function textOf(said: unknown, name: "title" | "detail"): string | null {
  if (typeof said !== "object" || said === null || !(name in said)) return null;
  const value: unknown = Reflect.get(said, name);
  return typeof value === "string" ? value : null;
}
