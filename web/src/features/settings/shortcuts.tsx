import { useTexts } from "../../i18n/i18n";
import styles from "./shortcuts.module.css";

const COMMAND = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl";

type Shortcut = "send" | "newLine" | "stop" | "search" | "new" | "edit";

const KEYS: Readonly<Record<Shortcut, readonly string[]>> = {
  send: ["Enter"],
  newLine: ["Shift", "Enter"],
  stop: ["Esc"],
  search: [COMMAND, "K"],
  new: [COMMAND, "Shift", "O"],
  edit: ["↑"],
};

/** What can be done by keyboard. */
export function Shortcuts() {
  const texts = useTexts();
  const { shortcut: names } = texts.settings;
  return (
    <section>
      <h3 className={styles.title}>{texts.settings.shortcuts}</h3>
      <dl className={styles.list}>
        {shortcuts(names).map(([shortcut, name]) => (
          <div key={shortcut}>
            <dt>{name}</dt>
            <dd>
              {KEYS[shortcut].map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function shortcuts(names: Readonly<Record<Shortcut, string>>): readonly (readonly [Shortcut, string])[] {
  const all: readonly Shortcut[] = ["send", "newLine", "stop", "search", "new", "edit"];
  return all.map((shortcut) => [shortcut, names[shortcut]]);
}
