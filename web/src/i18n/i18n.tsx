import { createContext, type ReactNode, useContext, useLayoutEffect, useMemo, useState } from "react";
import { en } from "./en";
import { type Language, LOCALES } from "./format";
import { ja } from "./ja";
import type { Texts } from "./texts";
import { zh } from "./zh";

const TEXTS: Readonly<Record<Language, Texts>> = { en, ja, zh };

/** Each language by its own name, for the person who can read only that one. */
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: "English", ja: "日本語", zh: "中文" };

const KEPT_AS = "actloop.language";

interface I18n {
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
  readonly texts: Texts;
}

const I18nContext = createContext<I18n | null>(null);

/** Speaks the language that was chosen here before, else the first of the browser's that we know, else English. */
export function I18nProvider({ children, language: fixed }: { children: ReactNode; language?: Language }) {
  const [language, setLanguage] = useState<Language>(() => fixed ?? keptLanguage() ?? preferred(navigator.languages));

  useLayoutEffect(() => {
    document.documentElement.lang = LOCALES[language];
  }, [language]);

  const value = useMemo<I18n>(
    () => ({
      language,
      texts: TEXTS[language],
      setLanguage: (chosen) => {
        keep(chosen);
        setLanguage(chosen);
      },
    }),
    [language],
  );
  return <I18nContext value={value}>{children}</I18nContext>;
}

export function useI18n(): I18n {
  const i18n = useContext(I18nContext);
  if (i18n === null) throw new Error("useI18n needs an I18nProvider above it.");
  return i18n;
}

/** The texts in the present language. */
export function useTexts(): Texts {
  return useI18n().texts;
}

/** The first of `wanted` (as in `navigator.languages`) that we speak. */
export function preferred(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const name = tag.slice(0, 2).toLowerCase();
    if (isLanguage(name)) return name;
  }
  return "en";
}

function isLanguage(name: string | null): name is Language {
  return name !== null && Object.hasOwn(TEXTS, name);
}

function keptLanguage(): Language | null {
  try {
    const kept = localStorage.getItem(KEPT_AS);
    return isLanguage(kept) ? kept : null;
  } catch {
    return null; // storage may be forbidden
  }
}

function keep(language: Language): void {
  try {
    localStorage.setItem(KEPT_AS, language);
  } catch {
    // storage may be forbidden; the choice then lasts as long as the page
  }
}
