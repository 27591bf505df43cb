import { type KeyboardEvent, type ReactNode, useId } from "react";
import { classNames } from "../class-names";
import { Icon, type IconName } from "../icon/icon";
import { usePopover } from "../popover/use-popover";
import styles from "./menu.module.css";

interface MenuTrigger {
  readonly popoverTarget: string;
  readonly "aria-haspopup": "menu";
  readonly "aria-expanded": boolean;
}

interface MenuProps {
  readonly label: string;
  /** Renders the button that opens the menu, with these properties on it. */
  readonly trigger: (props: MenuTrigger) => ReactNode;
  readonly children: ReactNode;
}

/** A menu that opens at its button: arrow keys, Home, End and Esc work, a click beside it closes it. */
export function Menu({ label, trigger, children }: MenuProps) {
  const { open, anchor, trigger: opens, popover } = usePopover(firstItem);
  return (
    <span ref={anchor} className={styles.anchor}>
      {trigger({ ...opens, "aria-haspopup": "menu" })}
      <div
        {...popover}
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className={styles.menu}
        onKeyDown={moveFocus}
        onClick={(event) => event.currentTarget.hidePopover()}
      >
        {open && children}
      </div>
    </span>
  );
}

interface MenuItemProps {
  readonly onSelect: () => void;
  readonly children: ReactNode;
  readonly icon?: IconName;
  readonly danger?: boolean;
  /** Given for one of several that exclude each other. */
  readonly checked?: boolean;
}

export function MenuItem({ onSelect, children, icon, danger = false, checked }: MenuItemProps) {
  return (
    <button
      type="button"
      role={checked === undefined ? "menuitem" : "menuitemradio"}
      {...(checked !== undefined && { "aria-checked": checked })}
      className={classNames(styles.item, danger && styles.danger)}
      tabIndex={-1}
      onClick={onSelect}
    >
      {icon !== undefined && <Icon name={icon} />}
      <span className={styles.text}>{children}</span>
      {checked === true && <Icon name="check" />}
    </button>
  );
}

export function MenuGroup({ label, children }: { label: string; children: ReactNode }) {
  const id = useId();
  return (
    <div role="group" aria-labelledby={id} className={styles.group}>
      <div id={id} className={styles.heading}>
        {label}
      </div>
      {children}
    </div>
  );
}

function items(menu: HTMLElement): HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]")];
}

function firstItem(menu: HTMLElement): HTMLElement | undefined {
  return items(menu)[0];
}

function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const all = items(event.currentTarget);
  const at = all.findIndex((item) => item.matches(":focus"));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (event.key === "Tab") event.currentTarget.hidePopover();
  if (next === undefined) return;
  event.preventDefault();
  all.at(next % all.length)?.focus();
}
