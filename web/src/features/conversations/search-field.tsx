import type { Ref } from "react";
import { useTexts } from "../../i18n/i18n";
import { IconButton } from "../../ui/button/button";
import { Icon } from "../../ui/icon/icon";
import styles from "./search-field.module.css";

interface SearchFieldProps {
  readonly ref: Ref<HTMLInputElement>;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function SearchField({ ref, value, onChange }: SearchFieldProps) {
  const texts = useTexts();
  return (
    <search className={styles.search}>
      <Icon name="search" className={styles.icon} />
      <input
        ref={ref}
        type="text"
        role="searchbox"
        enterKeyHint="search"
        autoComplete="off"
        aria-label={texts.sidebar.search}
        aria-keyshortcuts="Control+K Meta+K"
        placeholder={texts.sidebar.search}
        className={styles.input}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || value === "") return;
          event.preventDefault();
          event.stopPropagation();
          onChange("");
        }}
      />
      {value !== "" && <IconButton small icon="close" label={texts.sidebar.clearSearch} onClick={() => onChange("")} />}
    </search>
  );
}
