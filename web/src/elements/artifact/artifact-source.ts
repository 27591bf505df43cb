import { createContext, useContext } from "react";

/** Gets an artifact's content from the service. Whoever shows elements provides it. */
export type LoadArtifact = (id: string, signal: AbortSignal) => Promise<Blob>;

export const ArtifactSource = createContext<LoadArtifact | null>(null);

export function useLoadArtifact(): LoadArtifact {
  const load = useContext(ArtifactSource);
  if (load === null) throw new Error("An artifact needs an ArtifactSource above it.");
  return load;
}
