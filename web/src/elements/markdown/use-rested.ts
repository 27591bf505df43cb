import { useEffect, useRef, useState } from "react";

const QUICK_UP_TO = 3000;

/** `text`, but renewed the less often the more work that is: a growing block of `size` characters. */
export function useRested(text: string, size: number): string {
  const wait = size <= QUICK_UP_TO ? 0 : Math.min(size / 30, 600);
  const [shown, setShown] = useState(text);
  const renewed = useRef(0);

  useEffect(() => {
    if (wait === 0) return;
    const left = renewed.current + wait - performance.now();
    const timer = setTimeout(
      () => {
        renewed.current = performance.now();
        setShown(text);
      },
      Math.max(left, 0),
    );
    return () => clearTimeout(timer);
  }, [text, wait]);

  return wait === 0 ? text : shown;
}
