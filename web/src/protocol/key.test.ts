import { afterEach, expect, test, vi } from "vitest";
import { keyRefused, keyStore, setKey } from "./key";

afterEach(() => {
  vi.restoreAllMocks();
  setKey("");
});

test("a key is kept as long as the tab", () => {
  setKey("  secret ");
  expect(keyStore.getState()).toEqual({ key: "secret", wanted: false });
  expect(sessionStorage.getItem("actloop.key")).toBe("secret");
  expect(localStorage.length).toBe(0);
});

test("nothing is no key", () => {
  setKey("secret");
  setKey("  ");
  expect(keyStore.getState().key).toBeNull();
  expect(sessionStorage.getItem("actloop.key")).toBeNull();
});

test("another one is wanted when this one was refused, but not when an older one was", () => {
  setKey("new");
  keyRefused("old");
  keyRefused(null);
  expect(keyStore.getState().wanted).toBe(false);
  keyRefused("new");
  expect(keyStore.getState().wanted).toBe(true);
});

test("a browser that forbids storage keeps it as long as the page", () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("forbidden", "SecurityError");
  });
  setKey("secret");
  expect(keyStore.getState().key).toBe("secret");
});
