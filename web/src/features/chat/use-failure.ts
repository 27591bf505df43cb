import { useCallback } from "react";
import { errorText } from "../../i18n/error-text";
import { useTexts } from "../../i18n/i18n";
import { ApiError } from "../../protocol/request";
import { useToast } from "../../ui/toast/toaster";

/** Returns what tells the person of an error, after what did not work. */
export function useFailure(): (error: unknown, what?: string) => void {
  const texts = useTexts();
  const toast = useToast();
  return useCallback(
    (error, what) => {
      if (error instanceof ApiError && error.status === 401) return; // the key is asked for
      const why = errorText(texts, error);
      toast(what === undefined ? why : `${what} ${why}`, "error");
    },
    [texts, toast],
  );
}
