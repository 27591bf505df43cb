/** Numbers, durations and dates as a language writes them. Formatters are costly to make, so each is made once. */

export type Language = "en" | "ja" | "zh";

/** What `Intl` calls our languages. */
export const LOCALES: Readonly<Record<Language, string>> = { en: "en", ja: "ja", zh: "zh-Hans" };

export interface Format {
  /** `1,234` */
  readonly count: (value: number) => string;
  /** `12.3k` */
  readonly compact: (value: number) => string;
  /** US dollars, with as many digits as small sums need. */
  readonly cost: (dollars: number) => string;
  /** Seconds: `0.4 s`, `12 s`, `3 min 5 s`, `1 h 4 min`. */
  readonly duration: (seconds: number) => string;
  readonly bytes: (size: number) => string;
  readonly time: (at: number) => string;
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
  const time = new Intl.DateTimeFormat(locale, { timeStyle: "short" });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const month = new Intl.DateTimeFormat(locale, { month: "long", year: "numeric" });
  const list = new Intl.ListFormat(locale, { style: "narrow", type: "unit" });
  const rules = new Intl.PluralRules(locale);
  const unit = units(locale);
  return {
    count: (value) => count.format(value),
    compact: (value) => (value < 1000 ? count.format(value) : compact.format(value)),
    cost: (dollars) => costOf(locale, dollars),
    duration: (seconds) => durationOf(unit, seconds),
    bytes: (size) => bytesOf(unit, size),
    time: (at) => time.format(at),
    dateTime: (at) => dateTime.format(at),
    month: (at) => month.format(at),
    list: (words) => list.format(words),
    plural: (value) => rules.select(value),
  };
}

type Unit = (
  value: number,
  name: "second" | "minute" | "hour" | "byte" | "kilobyte" | "megabyte",
  digits?: number,
) => string;

function units(locale: string): Unit {
  const made = new Map<string, Intl.NumberFormat>();
  return (value, name, digits = 0) => {
    const key = `${name}${digits}`;
    let format = made.get(key);
    if (format === undefined) {
      format = new Intl.NumberFormat(locale, {
        style: "unit",
        unit: name,
        unitDisplay: "short",
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      });
      made.set(key, format);
    }
    return format.format(value);
  };
}

function durationOf(unit: Unit, seconds: number): string {
  if (seconds < 9.95) return unit(Math.max(seconds, 0), "second", 1);
  const whole = Math.round(seconds);
  if (whole < 60) return unit(whole, "second");
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${unit(minutes, "minute")} ${unit(whole % 60, "second")}`;
  return `${unit(Math.floor(minutes / 60), "hour")} ${unit(minutes % 60, "minute")}`;
}

function bytesOf(unit: Unit, size: number): string {
  if (size < 1000) return unit(size, "byte");
  if (size < 1_000_000) return unit(size / 1000, "kilobyte", size < 10_000 ? 1 : 0);
  return unit(size / 1_000_000, "megabyte", 1);
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
