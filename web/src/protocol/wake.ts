/** When it is worth trying the service again before the time is up. */

/**
 * Call `listener` when the machine is back on a network, or the person is back at this page.
 * Returns what ends that.
 */
export function onWake(listener: () => void): () => void {
  const seen = () => {
    if (document.visibilityState === "visible") listener();
  };
  addEventListener("online", listener);
  document.addEventListener("visibilitychange", seen);
  return () => {
    removeEventListener("online", listener);
    document.removeEventListener("visibilitychange", seen);
  };
}
