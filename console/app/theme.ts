export const THEMES = ['as the system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const SETTING = 'recoup.theme'

export function themeNow(): Theme {
  try {
    const stored = localStorage.getItem(SETTING)
    return THEMES.find((one) => one === stored) ?? 'as the system'
  } catch {
    return 'as the system'
  }
}

export function chooseTheme(theme: Theme): void {
  if (theme === 'as the system') localStorage.removeItem(SETTING)
  else localStorage.setItem(SETTING, theme)
  applyTheme()
}

/** The tokens are `light-dark()`: the scheme of the document decides. */
export function applyTheme(): void {
  const theme = themeNow()
  document.documentElement.style.colorScheme = theme === 'as the system' ? '' : theme
}
