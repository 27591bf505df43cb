import { classNames } from "./class-names";
import styles from "./spinner.module.css";

/** Something is going on. What it is must be said in words beside it. */
export function Spinner({ size = 16, className }: { size?: number; className?: string | undefined }) {
  return (
    <svg
      aria-hidden="true"
      className={classNames(styles.spinner, className)}
      width={size}
      height={size}
      viewBox="0 0 24 24"
    >
      <circle cx="12" cy="12" r="9" />
      <path d="M21 12a9 9 0 0 0-9-9" />
    </svg>
  );
}
