/**
 * The key to the service, if it wants one. It stays in this tab: session storage ends with it.
 */

import { createStore } from "zustand/vanilla";

const NAME = "actloop.key";

export interface KeyState {
  readonly key: string | null;
  /** The service has turned a request away for want of a (good) key; a person must give one. */
  readonly wanted: boolean;
}

export const keyStore = createStore<KeyState>(() => ({ key: stored(), wanted: false }));

/** Use this key from now on. */
export function setKey(key: string): void {
  const given = key.trim();
  keep(given);
  keyStore.setState({ key: given === "" ? null : given, wanted: false });
}

/** The service did not take `key`. What was sent with an older key says nothing about the present one. */
export function keyRefused(key: string | null): void {
  if (keyStore.getState().key === key) keyStore.setState({ wanted: true });
}

function stored(): string | null {
  try {
    return sessionStorage.getItem(NAME);
  } catch {
    return null; // a browser may forbid storage; the key then lives as long as the page
  }
}

function keep(key: string): void {
  try {
    if (key === "") sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, key);
  } catch {
    // as above
  }
}
