/** How markdown becomes elements: parsed, sanitised, and only then dressed. */

import type { Element } from "hast";
import type { Options } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";

const schema: typeof defaultSchema = {
  ...defaultSchema,
  clobberPrefix: "",
  attributes: {
    ...defaultSchema.attributes,
    code: [["className", /^language-./, "math-inline", "math-display"]],
  },
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"], src: ["http", "https"] },
};

export const remarkPlugins: NonNullable<Options["remarkPlugins"]> = [remarkGfm, remarkMath];
export const rehypePlugins: NonNullable<Options["rehypePlugins"]> = [[rehypeSanitize, schema]];

export interface Code {
  readonly text: string;
  readonly language: string | null;
  readonly math: boolean;
}

/** What a `code` element holds. */
export function codeOf(element: Element): Code {
  const { className } = element.properties;
  const names = Array.isArray(className) ? className.map(String) : [];
  const math = names.some((name) => name.startsWith("math-"));
  const language = names.find((name) => name.startsWith("language-"))?.slice("language-".length) ?? null;
  return { text: textOf(element), language: math ? null : language, math };
}

function textOf(element: Element): string {
  return element.children
    .map((child) => (child.type === "text" ? child.value : child.type === "element" ? textOf(child) : ""))
    .join("");
}
