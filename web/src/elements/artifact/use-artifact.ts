import { useEffect, useState } from "react";
import { useLoadArtifact } from "./artifact-source";

export type Loading =
  | { readonly state: "loading" }
  | { readonly state: "failed" }
  | { readonly state: "loaded"; readonly content: Blob };

/** The content of artifact `id`. */
export function useArtifact(id: string): Loading {
  const load = useLoadArtifact();
  const [loading, setLoading] = useState<Loading>({ state: "loading" });

  useEffect(() => {
    const aborting = new AbortController();
    setLoading({ state: "loading" });
    load(id, aborting.signal).then(
      (content) => setLoading({ state: "loaded", content }),
      () => aborting.signal.aborted || setLoading({ state: "failed" }),
    );
    return () => aborting.abort();
  }, [id, load]);

  return loading;
}

/** An address of `content` for this page alone, while it is shown. */
export function useObjectUrl(content: Blob | null): string | null {
  const [url, setUrl] = useState<string | null>(null);

  useEffect(() => {
    if (content === null) return;
    const made = URL.createObjectURL(content);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);

  return url;
}
