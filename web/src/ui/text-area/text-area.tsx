import { type ComponentProps, useLayoutEffect, useRef } from "react";
import { classNames } from "../class-names";
import styles from "./text-area.module.css";

/** A field that grows with its text, up to its `max-height`. */
export function TextArea({ className, value, ref, ...props }: ComponentProps<"textarea">) {
  const own = useRef<HTMLTextAreaElement | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the value
  useLayoutEffect(() => {
    const area = own.current;
    if (area === null) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  }, [value]);

  return (
    <textarea
      ref={(area) => {
        own.current = area;
        if (typeof ref === "function") ref(area);
        else if (ref) ref.current = area;
      }}
      rows={1}
      value={value}
      className={classNames(styles.area, className)}
      {...props}
    />
  );
}
