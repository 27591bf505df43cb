import { memo, useLayoutEffect, useRef, useState } from "react";
import { useTexts } from "../../i18n/i18n";
import styles from "./formula.module.css";

type SetFormula = (element: HTMLElement, tex: string, display: boolean) => void;

let loaded: SetFormula | null = null;

interface FormulaProps {
  readonly tex: string;
  readonly display: boolean;
}

/** A formula, set as soon as the typesetter is here; until then, and if it cannot be read, its source. */
export const Formula = memo(function Formula({ tex, display }: FormulaProps) {
  const texts = useTexts();
  const place = useRef<HTMLSpanElement>(null);
  const [unreadable, setUnreadable] = useState(false);

  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    let wanted = true;
    const set = (setFormula: SetFormula) => {
      loaded = setFormula;
      if (!wanted) return;
      try {
        setFormula(element, tex, display);
        setUnreadable(false);
      } catch {
        element.textContent = tex;
        setUnreadable(true);
      }
    };
    element.textContent = tex;
    if (loaded !== null) set(loaded);
    else
      import("./katex").then(
        ({ setFormula }) => set(setFormula),
        () => undefined,
      );
    return () => {
      wanted = false;
    };
  }, [tex, display]);

  return (
    <span
      ref={place}
      className={display ? styles.display : styles.inline}
      data-unreadable={unreadable}
      title={unreadable ? texts.markdown.badMath : undefined}
    />
  );
});
