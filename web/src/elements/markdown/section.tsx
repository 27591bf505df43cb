import { memo, useEffect, useRef, useState } from "react";
import { Block } from "./block";
import type { Block as BlockData, Section } from "./blocks";
import styles from "./markdown.module.css";

interface MarkdownSectionProps {
  readonly section: Section;
  /** The block that is still being written, in the last section. */
  readonly open: BlockData | null;
  readonly growing: boolean;
  /** Set it only when it comes near the screen. What is being written is set at once. */
  readonly lazy: boolean;
}

const NEAR = "1500px";

/** A part of a text; until it comes near the screen its bare text, so that it can be searched all the same. */
export const MarkdownSection = memo(
  function MarkdownSection({ section, open, growing, lazy }: MarkdownSectionProps) {
    const place = useRef<HTMLDivElement>(null);
    const [near, setNear] = useState(open !== null || !lazy || typeof IntersectionObserver === "undefined");

    useEffect(() => {
      if (near || place.current === null) return;
      const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setNear(true), {
        rootMargin: NEAR,
      });
      observer.observe(place.current);
      return () => observer.disconnect();
    }, [near]);

    const blocks = open === null ? section.blocks : [...section.blocks, open];
    return (
      <div ref={place} className={styles.section} data-far={lazy && open === null}>
        {near ? (
          blocks.map((block) => <Block key={block.at} text={block.text} growing={growing && block === open} />)
        ) : (
          <p className={styles.plain}>{blocks.map((block) => block.text).join("")}</p>
        )}
      </div>
    );
  },
  (before, after) =>
    before.open === null &&
    after.open === null &&
    before.lazy === after.lazy &&
    sameBlocks(before.section, after.section),
);

function sameBlocks(one: Section, other: Section): boolean {
  return one === other || (one.at === other.at && one.length === other.length);
}
