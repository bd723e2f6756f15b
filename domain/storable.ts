/** Characters that stored text can't contain: NUL, and lone surrogates. */
export const UNSTORABLE = /\0|\p{Surrogate}/u

/** Whether any text or name in a JSON value can't be stored. */
export function hasUnstorable(value: unknown): boolean {
  if (typeof value === 'string') return UNSTORABLE.test(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => UNSTORABLE.test(name) || hasUnstorable(inner))
}
