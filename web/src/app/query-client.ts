import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "../protocol/request";

const MOST_RETRIES = 3;

/** For lists over HTTP. The service may be on this very machine, so being offline is no reason not to ask it. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { networkMode: "always", staleTime: 5_000, refetchOnWindowFocus: "always", retry: worthRetrying },
      mutations: { networkMode: "always" },
    },
  });
}

function worthRetrying(failures: number, error: Error): boolean {
  const refused = error instanceof ApiError && error.status < 500;
  return !refused && failures < MOST_RETRIES;
}
