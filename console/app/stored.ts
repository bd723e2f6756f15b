/** What could not be stored, for as long as the page is open: a setting acts at least here. */
const here = new Map<string, string | null>()

/** A setting of this browser; null for none. */
export function stored(name: string): string | null {
  const kept = here.get(name)
  if (kept !== undefined) return kept
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

export const NOT_KEPT = 'This browser stores nothing: what you chose lasts until the page is closed.'

/**
 * Keeps a setting in this browser, or removes it.
 * @returns false where the browser stores nothing or is full: then it is valid until the page is left
 */
export function store(name: string, value: string | null): boolean {
  try {
    if (value === null) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
    here.delete(name)
    return true
  } catch {
    here.set(name, value)
    return false
  }
}
