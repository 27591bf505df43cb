import type { Texts } from "./texts";

/** What went wrong, for the reader. The service explains its refusals itself; the protocol's errors are told by their names. */
export function errorText({ errors }: Texts, error: unknown): string {
  if (!(error instanceof Error)) return errors.unexpected;
  switch (error.name) {
    case "ApiError":
      return error.message;
    case "Unreachable":
      return errors.offline;
    default:
      return errors.unexpected;
  }
}
