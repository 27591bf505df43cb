import { classNames } from "../class-names";
import styles from "./icon.module.css";

/** Outlines on a grid of 24, drawn with round ends; a path may have several strokes. */
const PATHS = {
  "arrow-down": "M12 5v14M6 13l6 6 6-6",
  "arrow-up": "M12 19V5M6 11l6-6 6 6",
  alert: "M12 8.5v4.5M12 16.5v.01M10.3 4.2 2.9 17a2 2 0 0 0 1.7 3h14.8a2 2 0 0 0 1.7-3L13.7 4.2a2 2 0 0 0-3.4 0Z",
  bolt: "M13 3 5 13.5h6L10.5 21 19 10.5h-6L13 3Z",
  check: "M5 12.5 9.5 17 19 7.5",
  chevron: "m9 6 6 6-6 6",
  clock: "M12 7.5V12l3 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z",
  close: "M6 6l12 12M18 6 6 18",
  code: "m8 7-5 5 5 5M16 7l5 5-5 5",
  copy: "M9 9h9a1.5 1.5 0 0 1 1.5 1.5v9A1.5 1.5 0 0 1 18 21H9a1.5 1.5 0 0 1-1.5-1.5v-9A1.5 1.5 0 0 1 9 9ZM4.5 15V4.5A1.5 1.5 0 0 1 6 3h9",
  cut: "M6 12h.01M12 12h.01M18 12h.01",
  download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
  file: "M13.5 3H7a1.5 1.5 0 0 0-1.5 1.5v15A1.5 1.5 0 0 0 7 21h10a1.5 1.5 0 0 0 1.5-1.5V8l-5-5ZM13.5 3v5h5",
  globe:
    "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM3 12h18M12 3c2.5 2.6 3.7 5.6 3.7 9s-1.2 6.4-3.7 9c-2.5-2.6-3.7-5.6-3.7-9S9.5 5.6 12 3Z",
  image:
    "M5 4h14a1.5 1.5 0 0 1 1.5 1.500v13A1.5 1.5 0 0 1 19 20H5a1.5 1.5 0 0 1-1.5-1.500v-13A1.5 1.5 0 0 1 5 4ZM4 17l5-5 4 4 2.5-2.500L20 18M15.5 9v.01",
  panel:
    "M5.5 4.5h13A1.5 1.5 0 0 1 20 6v12a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 18V6a1.5 1.5 0 0 1 1.5-1.5ZM9.5 4.5v15",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  pencil: "M4 20l1-4.500L16.5 4a1.8 1.8 0 0 1 2.5 0l1 1a1.8 1.8 0 0 1 0 2.500L8.5 19 4 20ZM14.5 6l3.5 3.5",
  plus: "M12 5v14M5 12h14",
  retry: "M4 5v5h5M4.6 10A8 8 0 1 1 4 13.5",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM20.5 20.5 16 16",
  settings:
    "M4 7h9M19 7h1M4 17h1M11 17h9M16 9.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8 19.500a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
  stop: "M7.5 6h9A1.5 1.5 0 0 1 18 7.500v9a1.5 1.5 0 0 1-1.5 1.500h-9A1.5 1.5 0 0 1 6 16.500v-9A1.5 1.5 0 0 1 7.5 6Z",
  summary: "M4 6h16M4 10h16M4 14h7M4 18h4M15 15l2.5 2.500L22 13",
  table:
    "M5 4.500h14A1.5 1.5 0 0 1 20.5 6v12a1.5 1.5 0 0 1-1.5 1.500H5A1.5 1.5 0 0 1 3.5 18V6A1.5 1.5 0 0 1 5 4.500ZM3.5 9.500h17M3.5 14.500h17M10 9.500v10",
  trash:
    "M4.5 7h15M9.5 7V4.500h5V7M6.5 7l.8 12a1.5 1.5 0 0 0 1.5 1.400h6.400a1.5 1.5 0 0 0 1.5-1.400l.8-12M10 11v5.500M14 11v5.5",
  undo: "M8.5 5 4 9.5 8.5 14M4.5 9.500H14a5.5 5.5 0 0 1 0 11h-3",
  wrap: "M4 6h16M4 12h13a3 3 0 0 1 0 6h-4M15 15.5 12.5 18l2.5 2.500M4 18h4",
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside or instead of a word. Hidden from screen readers: what it means stands in a label. */
export function Icon({
  name,
  size = 16,
  className,
}: {
  name: IconName;
  size?: number;
  className?: string | undefined;
}) {
  return (
    <svg
      aria-hidden="true"
      className={classNames(styles.icon, className)}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      data-icon={name}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
