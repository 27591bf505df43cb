/** Numbers, durations and dates as a language writes them. Formatters are costly to make, so each is made once. */

export type Language = "en" | "ja" | "zh";

/** What `Intl` calls our languages. */
export const LOCALES: Readonly<Record<Language, string>> = { en: "en", ja: "ja", zh: "zh-Hans" };

export interface Format {
  /** `1,234` */
  readonly count: (value: number) => string;
  /** `12.3k`, `1.2万` */
  readonly compact: (value: number) => string;
  /** US dollars, with as many digits as small sums need. */
  readonly cost: (dollars: number) => string;
  /** Seconds: `0.4 s`, `12 s`, `3 min 5 s`, `1 h 4 min`. */
  readonly duration: (seconds: number) => string;
  readonly bytes: (size: number) => string;
  readonly dateTime: (at: number) => string;
  readonly month: (at: number) => string;
  /** The words joined as a list is in this language. */
  readonly list: (words: readonly string[]) => string;
  readonly plural: (count: number) => Intl.LDMLPluralRule;
}

export function formatOf(language: Language): Format {
  const locale = LOCALES[language];
  const count = new Intl.NumberFormat(locale);
  const compact = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const month = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric" });
  const list = new Intl.ListFormat(locale, { style: "narrow", type: "conjunction" });
  const rules = new Intl.PluralRules(locale);
  const units = UNITS[language];
  return {
    count: (value) => count.format(value),
    compact: (value) => (value < 1000 ? count.format(value) : compact.format(value).replace("K", "k")),
    cost: (dollars) => costOf(locale, dollars),
    duration: (seconds) => durationOf(units, seconds),
    bytes: (size) => bytesOf(size),
    dateTime: (at) => dateTime.format(at),
    month: (at) => month.format(at),
    list: (words) => list.format(words),
    plural: (value) => rules.select(value),
  };
}

interface Units {
  readonly second: string;
  readonly minute: string;
  readonly hour: string;
}

/** With the space that stands before them, one at which no line is broken. */
const UNITS: Readonly<Record<Language, Units>> = {
  en: { second: "\u00a0s", minute: "\u00a0min", hour: "\u00a0h" },
  ja: { second: "\u00a0秒", minute: "\u00a0分", hour: "\u00a0時間" },
  zh: { second: "\u00a0秒", minute: "\u00a0分", hour: "\u00a0小时" },
};

function durationOf({ second, minute, hour }: Units, seconds: number): string {
  if (seconds < 9.95) return `${Math.max(seconds, 0).toFixed(1)}${second}`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}${second}`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes}${minute} ${whole % 60}${second}`;
  return `${Math.floor(minutes / 60)}${hour} ${minutes % 60}${minute}`;
}

function bytesOf(size: number): string {
  if (size < 1000) return `${size}\u00a0B`;
  if (size < 999_500) return `${(size / 1000).toFixed(size < 9950 ? 1 : 0)}\u00a0kB`;
  return `${(size / 1_000_000).toFixed(1)}\u00a0MB`;
}

function costOf(locale: string, dollars: number): string {
  const digits = dollars === 0 || dollars >= 1 ? 2 : dollars >= 0.01 ? 3 : 5;
  const format = new Intl.NumberFormat(locale, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  });
  return format.format(dollars);
}
