import type { ToolCall } from "../../conversation/conversation";
import type { IconName } from "../../ui/icon/icon";

/** What is known of something that a tool made. */
export type Artifact = ToolCall["artifacts"][number];

export type ArtifactKind = "html" | "markdown" | "csv" | "image" | "drawing" | "text" | "other";

export const KIND_ICONS: Readonly<Record<ArtifactKind, IconName>> = {
  html: "globe",
  markdown: "file",
  csv: "table",
  image: "image",
  drawing: "image",
  text: "code",
  other: "file",
};

const IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** How an artifact can be shown. */
export function artifactKind(mediaType: string): ArtifactKind {
  const type = mediaType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (type === "image/svg+xml") return "drawing"; // may hold scripts, and is shown as HTML is
  if (type === "text/markdown") return "markdown";
  if (type === "text/csv") return "csv";
  if (IMAGES.has(type)) return "image";
  if (type.startsWith("text/") || /^application\/(?:.*\+)?(?:json|xml|yaml|javascript|sql)$/.test(type)) return "text";
  return "other";
}
