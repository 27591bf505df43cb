import type { ReactNode } from "react";
import { classNames } from "./class-names";
import { Icon, type IconName } from "./icon/icon";
import styles from "./notice.module.css";

export type NoticeLook = "quiet" | "warn" | "danger";

const ICONS: Readonly<Record<NoticeLook, IconName>> = { quiet: "bolt", warn: "alert", danger: "alert" };

interface NoticeProps {
  readonly look: NoticeLook;
  readonly title: string;
  readonly children?: ReactNode;
  /** Buttons. */
  readonly actions?: ReactNode;
}

/** Something a reader should know, in the place where it happened. */
export function Notice({ look, title, children, actions }: NoticeProps) {
  return (
    <div className={classNames(styles.notice, styles[look])}>
      <Icon name={ICONS[look]} className={styles.icon} />
      <div className={styles.text}>
        <strong className={styles.title}>{title}</strong>
        {children !== undefined && <div className={styles.body}>{children}</div>}
      </div>
      {actions}
    </div>
  );
}
