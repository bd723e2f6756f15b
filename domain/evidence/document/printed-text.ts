/** What a layout must not see: control characters, bidirectional overrides, embeddings and isolates of others. */
const UNPRINTABLE = /\p{Cc}|[\u202a-\u202e\u2066\u2067]|\p{Surrogate}/gu
/** Characters without a place to break a line, and between two places where it may be broken. */
const BREAKS = {
  wide: { run: /[^\s\u200b]{61,}/gu, piece: /(?:[^\s]{30})(?=[^\s])/gu },
  narrow: { run: /[^\s\u200b]{19,}/gu, piece: /(?:[^\s]{15})(?=[^\s])/gu },
}
/** Of a line: the whole page or half of it, or a column of a table. */
export type LineWidth = keyof typeof BREAKS

const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text)

/**
 * A value of the data inside of an English text: its direction must not move what follows it. Isolates (UAX 9, 2.4) do
 * that; a value in ASCII needs none. Call it with a text that holds no isolates.
 */
export const isolated = (text: string): string => (isAscii(text) ? text : `\u2068${text}\u2069`)

/** One line that a layout can set: no control character, and a place to break in words that are longer than a line. */
export function printedLine(text: string, most: number, width: LineWidth = 'wide'): string {
  const line = text.replaceAll(/\s+/gu, ' ').replaceAll(UNPRINTABLE, '').trim()
  const { run, piece } = BREAKS[width]
  return shortened(line, most).replaceAll(run, (long) => long.replaceAll(piece, '$&\u200b'))
}

/** Whole characters; an isolate that the cut leaves open is closed. */
function shortened(text: string, most: number): string {
  const characters = [...text]
  if (characters.length <= most) return text
  const cut = characters.slice(0, most).join('')
  return `${cut}${cut.lastIndexOf('\u2068') > cut.lastIndexOf('\u2069') ? '\u2069' : ''} […]`
}
