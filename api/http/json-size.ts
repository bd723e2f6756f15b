const MAX_DEPTH = 32
/** Object members and array elements. Parsing and validating ten thousand takes milliseconds, 100,000 a second. */
const MAX_VALUES = 10_000

const QUOTE = 0x22
const COMMA = 0x2c
const BACKSLASH = 0x5c
const [OPENING_BRACKET, CLOSING_BRACKET] = [0x5b, 0x5d]
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d]

/**
 * Checks whether a JSON text is too costly to parse, without parsing it; stops at the first violation. The text need
 * not be valid.
 * @param json UTF-8
 * @returns the violated rule, as a predicate; null when it may be parsed
 */
export function costlyJson(json: Uint8Array): string | null {
  let depth = 0
  let values = 1
  let quoted = false
  for (let i = 0; i < json.length; i++) {
    const byte = json[i] as number
    if (quoted) {
      if (byte === BACKSLASH) i++
      else if (byte === QUOTE) quoted = false
    } else if (byte === QUOTE) quoted = true
    else if (byte === COMMA) {
      if (++values > MAX_VALUES) return `made of more than ${MAX_VALUES} values`
    } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) {
      if (++depth > MAX_DEPTH) return `nested deeper than ${MAX_DEPTH} levels`
    } else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) depth--
  }
  return null
}
