import { useState } from "react";
import { useStore } from "zustand";
import type { Language } from "../../i18n/format";
import { LANGUAGE_NAMES, useI18n } from "../../i18n/i18n";
import { keyStore, setKey } from "../../protocol/key";
import { Button } from "../../ui/button/button";
import { Choice } from "../../ui/choice/choice";
import { Dialog } from "../../ui/dialog/dialog";
import { chooseTheme, keptTheme, type Theme } from "../../ui/theme";
import styles from "./settings-dialog.module.css";
import { Shortcuts } from "./shortcuts";

/** What a person can set for this browser. */
export function SettingsDialog({ onClose }: { onClose: () => void }) {
  const { texts, language, setLanguage } = useI18n();
  const [theme, setTheme] = useState(keptTheme);
  const key = useStore(keyStore, (state) => state.key);
  const themes: Readonly<Record<Theme, string>> = {
    system: texts.settings.system,
    light: texts.settings.light,
    dark: texts.settings.dark,
  };
  return (
    <Dialog title={texts.settings.title} closeLabel={texts.app.close} onClose={onClose}>
      <Choice<Theme>
        label={texts.settings.theme}
        options={themes}
        chosen={theme}
        onChoose={(chosen) => {
          setTheme(chosen);
          chooseTheme(chosen);
        }}
      />
      <Choice<Language>
        label={texts.settings.language}
        options={LANGUAGE_NAMES}
        chosen={language}
        onChoose={setLanguage}
      />
      {key !== null && (
        <div className={styles.row}>
          <span>{texts.settings.key}</span>
          <Button small onClick={() => setKey("")}>
            {texts.settings.keyForget}
          </Button>
        </div>
      )}
      <Shortcuts />
    </Dialog>
  );
}
