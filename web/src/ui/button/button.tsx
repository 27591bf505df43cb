import type { ComponentProps } from "react";
import { classNames } from "../class-names";
import { Icon, type IconName } from "../icon/icon";
import styles from "./button.module.css";

export type ButtonLook = "primary" | "secondary" | "quiet" | "danger";

type ButtonProps = ComponentProps<"button"> & { look?: ButtonLook; icon?: IconName; small?: boolean };

export function Button({ look = "secondary", icon, small = false, className, children, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      className={classNames(styles.button, styles[look], small && styles.small, className)}
      {...props}
    >
      {icon !== undefined && <Icon name={icon} size={small ? 14 : 16} />}
      {children}
    </button>
  );
}

type IconButtonProps = ComponentProps<"button"> & { label: string; icon: IconName; look?: ButtonLook; small?: boolean };

/** A button that shows only a picture; `label` is what it is called, and its title. */
export function IconButton({ label, icon, look = "quiet", small = false, className, ...props }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classNames(styles.button, styles.square, styles[look], small && styles.small, className)}
      {...props}
    >
      <Icon name={icon} size={small ? 16 : 18} />
    </button>
  );
}
