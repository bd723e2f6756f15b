/** What the codes of a font stand for: a ToUnicode table (ISO 32000-1, 9.10.3). */
export interface Codes {
  /** Bytes of one code: 1 to 4. */
  width: number
  shown: ReadonlyMap<number, string>
}

/** Codes of one table, and its words that are read; more is a document that no shop makes. */
const MOST_CODES = 70_000
const MOST_WORDS = 4 * MOST_CODES
/** Hexadecimal digits of what one code shows: 512 bytes. */
const MOST_DIGITS = 1_024
const WORD = /<([0-9a-fA-F\s]*)>|[[\]]|(?:begin|end)bf(?:char|range)/g

/** Reads a table in one pass. Null where it has no codes. */
export function codesOf(table: string): Codes | null {
  const shown = new Map<number, string>()
  let width = 0
  // Counted as they are written, because a range may be told again and again.
  let left = MOST_CODES
  let words = MOST_WORDS
  let block = ''
  let entry: string[] = []
  let listing = false
  const put = (code: number, digits: number, text: string) => {
    left--
    width ||= Math.ceil(digits / 2)
    if (Math.ceil(digits / 2) === width) shown.set(code, text)
  }
  for (const [word, spaced] of table.matchAll(WORD)) {
    if (--words < 0 || left <= 0) break
    const [from = '', to = ''] = entry
    if (spaced === undefined) {
      if (word === '[') listing = entry.length === 2
      else {
        listing = false
        entry = []
      }
      if (word.length > 1) block = word.startsWith('begin') ? word.slice(5) : ''
      continue
    }
    const hex = spaced
      .slice(0, 2 * MOST_DIGITS)
      .replaceAll(/\s/g, '')
      .slice(0, MOST_DIGITS)
    const code = Number.parseInt(from, 16)
    if (block === '' || hex === '') continue
    if (listing) {
      if (code <= Number.parseInt(to, 16)) put(code, from.length, character(hex))
      entry[0] = (code + 1).toString(16).padStart(from.length, '0')
    } else if (block === 'bfchar' && entry.length === 1) {
      put(code, from.length, character(hex))
      entry = []
    } else if (entry.length === 2) {
      const first = character(hex)
      for (let next = code; next <= Number.parseInt(to, 16) && left > 0; next++)
        put(next, from.length, following(first, next - code))
      entry = []
    } else entry.push(hex)
  }
  return width >= 1 && width <= 4 ? { width, shown } : null
}

const character = (hex: string) => utf16(Buffer.from(hex.padStart(4, '0'), 'hex'))

/** Text of big-endian UTF-16. */
export const utf16 = (bytes: Buffer) =>
  Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le')

const following = (text: string, steps: number) =>
  text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + steps)
