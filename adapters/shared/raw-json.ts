/**
 * Untrusted JSON: the text of an object exactly as the PSP sent it, and type-safe reads. The scanner is iterative, so
 * neither size nor nesting can overflow the stack.
 */

const QUOTE = 34
const BACKSLASH = 92

/** Index after the string that opens at `at`. */
function endOfString(text: string, at: number): number {
  let close = text.indexOf('"', at + 1)
  while (close !== -1) {
    let slashes = 0
    while (text.charCodeAt(close - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return close + 1
    close = text.indexOf('"', close + 1)
  }
  return text.length
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

function skipSpace(text: string, at: number): number {
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}

/** Index after the value that starts at `at`. */
function endOfValue(text: string, at: number): number {
  const first = text[at]
  if (first === '"') return endOfString(text, at)
  if (first !== '{' && first !== '[') {
    while (at < text.length && !',]}'.includes(text[at] as string) && !isSpace(text.charCodeAt(at))) at++
    return at
  }
  let depth = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(text, at)
      continue
    }
    if (code === 123 || code === 91) depth++
    else if ((code === 125 || code === 93) && --depth === 0) return at + 1
    at++
  }
  return at
}

/** The text of one member of an object, or null; the last one when a key repeats, as in JSON.parse. */
export function sliceMember(text: string, name: string): string | null {
  let at = skipSpace(text, 0)
  if (text[at] !== '{') return null
  let found: string | null = null
  at = skipSpace(text, at + 1)
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at)
    const key = text.slice(at, keyEnd)
    at = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = endOfValue(text, at)
    if (end === at) return found
    if (key === `"${name}"`) found = text.slice(at, end)
    at = skipSpace(text, end)
    if (text[at] !== ',') return found
    at = skipSpace(text, at + 1)
  }
  return found
}

/**
 * The text of each element of the array at top-level key `name`, cut out and not serialised again; null without one.
 */
export function sliceJson(text: string, name: string): string[] | null {
  const list = sliceMember(text, name)
  if (list === null || !list.startsWith('[')) return null
  const elements: string[] = []
  let at = skipSpace(list, 1)
  while (at < list.length && list[at] !== ']') {
    const end = endOfValue(list, at)
    if (end === at) return null
    elements.push(list.slice(at, end))
    at = skipSpace(list, end)
    if (list[at] === ',') at = skipSpace(list, at + 1)
  }
  return elements
}

/** A parsed value as an object, or null when it is anything else. */
export function asRecord(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

/** Whether Postgres can store the string: no NUL, and no lone surrogate, which UTF-8 encoding replaces silently. */
export function isStorable(value: string): boolean {
  return !value.includes('\u0000') && value.isWellFormed()
}
