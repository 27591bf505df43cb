/** Sets formulas. Loaded with the first one. Builds elements one by one, as the page's policy demands, never from HTML. */

import "katex/dist/katex.min.css";
import katex from "katex";

/** Set `tex` in `element`; throws if it cannot be read. */
export function setFormula(element: HTMLElement, tex: string, display: boolean): void {
  katex.render(tex, element, {
    displayMode: display,
    trust: false,
    errorColor: "var(--danger)",
    strict: "ignore",
    maxExpand: 200,
    maxSize: 20,
  });
}
