import { type RefCallback, useCallback, useEffect, useRef } from "react";

/** Calls `then` each time the element comes into sight. */
export function useWhenSeen(then: () => void): RefCallback<HTMLElement> {
  const latest = useRef(then);
  useEffect(() => {
    latest.current = then;
  });
  return useCallback((element) => {
    if (element === null) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) latest.current();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}
