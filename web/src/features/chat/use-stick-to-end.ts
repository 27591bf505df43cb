import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from "react";

const NEAR = 64;

interface StickToEnd {
  /** Whether the end is in sight. */
  readonly atEnd: boolean;
  readonly toEnd: () => void;
}

/** Keeps a growing list's end in sight until the reader scrolls up, and again when they come back down. */
export function useStickToEnd(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): StickToEnd {
  const sticking = useRef(true);
  const [atEnd, setAtEnd] = useState(true);

  const toEnd = useCallback(() => {
    sticking.current = true;
    setAtEnd(true);
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [scroller]);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null || content.current === null) return;
    let lastTop = element.scrollTop;
    let lastHeight = element.scrollHeight;

    const isNear = () => element.scrollHeight - element.scrollTop - element.clientHeight < NEAR;
    const remember = () => {
      lastTop = element.scrollTop;
      lastHeight = element.scrollHeight;
      setAtEnd(isNear());
    };
    const onScroll = () => {
      const { scrollTop, scrollHeight } = element;
      // Only a person moves it up while the content stays as high; what shrinks moves it by itself.
      if (scrollTop < lastTop && scrollHeight >= lastHeight) sticking.current = false;
      else if (scrollTop > lastTop && isNear()) sticking.current = true;
      remember();
    };
    // Said at once: while much is written, the end would be back in sight before the scrolling is heard of.
    const onWheel = ({ deltaY }: WheelEvent) => {
      if (deltaY < 0) sticking.current = false;
    };
    const onResize = () => {
      if (sticking.current) element.scrollTop = element.scrollHeight;
      remember();
    };
    // What a person opens or folds stays where it is.
    const onClick = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest("[aria-expanded]") !== null) sticking.current = false;
    };
    const observer = new ResizeObserver(onResize);
    observer.observe(element);
    observer.observe(content.current);
    element.addEventListener("scroll", onScroll, { passive: true });
    element.addEventListener("wheel", onWheel, { passive: true });
    element.addEventListener("click", onClick, { capture: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
      element.removeEventListener("wheel", onWheel);
      element.removeEventListener("click", onClick, { capture: true });
    };
  }, [scroller, content]);

  return { atEnd, toEnd };
}
