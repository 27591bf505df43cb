import { useId } from "react";
import styles from "./choice.module.css";

interface ChoiceProps<Name extends string> {
  readonly label: string;
  readonly options: Readonly<Record<Name, string>>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

/** One of a few, side by side. */
export function Choice<Name extends string>({ label, options, chosen, onChoose }: ChoiceProps<Name>) {
  const id = useId();
  const names = Object.keys(options) as Name[];
  return (
    <fieldset className={styles.choice}>
      <legend>{label}</legend>
      <div className={styles.options}>
        {names.map((name) => (
          <label key={name} className={styles.option}>
            <input type="radio" name={id} checked={name === chosen} onChange={() => onChoose(name)} />
            <span>{options[name]}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
