import { store, stored } from './stored.ts'

export const THEMES = ['as the system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const SETTING = 'recoup.theme'

export function themeNow(): Theme {
  const chosen = stored(SETTING)
  return THEMES.find((one) => one === chosen) ?? 'as the system'
}

/** @returns whether the browser keeps it */
export function chooseTheme(theme: Theme): boolean {
  const isKept = store(SETTING, theme === 'as the system' ? null : theme)
  applyTheme()
  return isKept
}

/** The tokens are `light-dark()`: the scheme of the document decides. */
export function applyTheme(): void {
  const theme = themeNow()
  document.documentElement.style.colorScheme = theme === 'as the system' ? '' : theme
}
