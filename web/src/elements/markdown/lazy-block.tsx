import { memo, type ReactNode, useEffect, useRef, useState } from "react";
import styles from "./markdown.module.css";

interface LazyBlockProps {
  readonly text: string;
  /** Set at once, however far away it is. */
  readonly eager: boolean;
  readonly children: ReactNode;
}

const NEAR = "1500px";

/** One block of a long text: its bare text until it comes near the screen, so that it can be searched all the same. */
export const LazyBlock = memo(
  function LazyBlock({ text, eager, children }: LazyBlockProps) {
    const place = useRef<HTMLDivElement>(null);
    const [near, setNear] = useState(eager || typeof IntersectionObserver === "undefined");

    useEffect(() => {
      if (near || place.current === null) return;
      const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), {
        rootMargin: NEAR,
      });
      observer.observe(place.current);
      return () => observer.disconnect();
    }, [near]);

    return (
      <div ref={place} className={styles.lazy}>
        {near ? children : <p className={styles.plain}>{text}</p>}
      </div>
    );
  },
  (before, after) => before.text === after.text && before.eager === after.eager,
);
