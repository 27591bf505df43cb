import { useEffect, useLayoutEffect, useRef, useState } from "react";

/** Of the time at most this part goes into showing a text that grows: the longer that takes, the less often it is done. */
const SHARE = 0.15;
const QUICK = 2;
const LONGEST_WAIT = 1000;

/** `text`, and while it is `growing` not renewed more often than is easily shown. */
export function useRested(text: string, growing: boolean): string {
  const [shown, setShown] = useState(text);
  const cost = useRef(0);
  const renewed = useRef(0);
  const begun = performance.now();

  // biome-ignore lint/correctness/useExhaustiveDependencies: what counts is how long it took to show this text
  useLayoutEffect(() => {
    cost.current = performance.now() - begun;
  }, [shown]);

  useEffect(() => {
    if (!growing) return;
    const wait = cost.current < QUICK ? 0 : Math.min(cost.current / SHARE, LONGEST_WAIT);
    const timer = setTimeout(
      () => {
        renewed.current = performance.now();
        setShown(text);
      },
      Math.max(renewed.current + wait - performance.now(), 0),
    );
    return () => clearTimeout(timer);
  }, [text, growing]);

  return growing ? shown : text;
}
