/** Light or dark: what the person chose, else what the device says. Kept in this browser. */

export type Theme = "system" | "light" | "dark";

const KEPT_AS = "actloop.theme";

export function keptTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEPT_AS);
    return kept === "light" || kept === "dark" ? kept : "system";
  } catch {
    return "system"; // storage may be forbidden
  }
}

/** Show the page in `theme` from now on. */
export function applyTheme(theme: Theme = keptTheme()): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    if (theme === "system") localStorage.removeItem(KEPT_AS);
    else localStorage.setItem(KEPT_AS, theme);
  } catch {
    // the choice then lasts as long as the page
  }
}
