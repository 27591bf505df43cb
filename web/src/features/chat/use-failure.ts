import { useCallback } from "react";
import { useTexts } from "../../i18n/i18n";
import { ApiError, Unreachable } from "../../protocol/request";
import { useToast } from "../../ui/toast/toaster";

/** Returns what tells the person of an error, after what did not work. */
export function useFailure(): (error: unknown, what?: string) => void {
  const texts = useTexts();
  const toast = useToast();
  return useCallback(
    (error, what) => {
      if (error instanceof ApiError && error.status === 401) return; // the key is asked for
      const known = error instanceof ApiError ? error.message : null;
      const why = known ?? (error instanceof Unreachable ? texts.errors.offline : texts.errors.unexpected);
      toast(what === undefined ? why : `${what} ${why}`, "error");
    },
    [texts, toast],
  );
}
