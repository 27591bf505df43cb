import { type ComponentProps, useId } from "react";
import styles from "./text-field.module.css";

/** A labelled field for one line; `error` is said below it and to screen readers. */
export function TextField({
  label,
  error,
  ...props
}: ComponentProps<"input"> & { label: string; error?: string | null }) {
  const id = useId();
  const wrong = error !== undefined && error !== null;
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className={styles.input}
        aria-invalid={wrong}
        {...(wrong && { "aria-describedby": `${id}-error` })}
        {...props}
      />
      {wrong && (
        <p id={`${id}-error`} role="alert" className={styles.error}>
          {error}
        </p>
      )}
    </div>
  );
}
