import { useQuery } from "@tanstack/react-query";
import { listModels } from "../../../protocol/client";

const AN_HOUR = 3_600_000;

/** The models and agents that a run may ask for. They change with the service's settings only. */
export function useModels() {
  return useQuery({ queryKey: ["models"], queryFn: ({ signal }) => listModels(signal), staleTime: AN_HOUR });
}
