/** Text that a PDF shows: the operands of its text operators, through its fonts' tables where it has them. */

/** From a font's code, in hex, to characters. */
export type Codes = ReadonlyMap<string, string>

/** Font tables tried on each text, and codes of one; more is a document that no shop makes. */
const MOST_MAPS = 12
const MOST_CODES = 70_000
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/**
 * All strings of a piece of the file, twice: each on its own line, and run together, because a word may be set letter
 * by letter.
 */
export function shownTexts(piece: string, maps: Codes[]): string[] {
  const strings = stringsOf(piece)
  if (strings.length === 0) return []
  const readings = [
    strings.map(plain),
    ...maps.slice(0, MOST_MAPS).map((map) => strings.map((one) => mapped(one, map))),
  ]
  return readings.flatMap((lines) => [lines.join('\n'), lines.join('')])
}

/** Literal and hexadecimal strings as Latin-1, in order. One pass: what is not closed ends the piece. */
function stringsOf(piece: string): string[] {
  const found: string[] = []
  for (let at = 0; at < piece.length; at++) {
    const character = piece[at]
    if (character === '(') {
      const end = endOfLiteral(piece, at)
      found.push(unescaped(piece.slice(at + 1, end)))
      at = end
    } else if (character === '<' && piece[at + 1] === '<') at++
    else if (character === '<') {
      const end = piece.indexOf('>', at)
      if (end < 0) break
      const hex = piece.slice(at + 1, end)
      if (/^[0-9a-f\s]+$/i.test(hex)) found.push(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex').toString('latin1'))
      at = end
    }
  }
  return found
}

function endOfLiteral(piece: string, from: number): number {
  let depth = 0
  for (let at = from; at < piece.length; at++) {
    if (piece[at] === '\\') at++
    else if (piece[at] === '(') depth++
    else if (piece[at] === ')' && --depth === 0) return at
  }
  return piece.length
}

const unescaped = (literal: string) =>
  literal.replaceAll(/\\([0-7]{1,3}|\r\n|[\s\S])/g, (_, escaped: string) => {
    if (/^[0-7]/.test(escaped)) return String.fromCharCode(Number.parseInt(escaped, 8) & 0xff)
    return ESCAPES[escaped] ?? (/^[\r\n]/.test(escaped) ? '' : escaped)
  })

const plain = (text: string) => (text.startsWith('\xfe\xff') ? utf16(Buffer.from(text.slice(2), 'latin1')) : text)

const utf16 = (bytes: Buffer) =>
  Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le')

function mapped(text: string, codes: Codes): string {
  const width = ([...codes.keys()][0]?.length ?? 4) / 2
  let shown = ''
  for (let at = 0; at < text.length; at += width)
    shown += codes.get(Buffer.from(text.slice(at, at + width), 'latin1').toString('hex')) ?? ''
  return shown
}

/** A ToUnicode table (ISO 32000-1, 9.10.3). */
export function codesOf(table: string): Codes {
  const codes = new Map<string, string>()
  for (const [, block = ''] of table.matchAll(/beginbfchar([\s\S]*?)endbfchar/g))
    for (const [, code = '', text = ''] of block.matchAll(/<([0-9a-f]+)>\s*<([0-9a-f]+)>/gi))
      if (codes.size < MOST_CODES) codes.set(code.toLowerCase(), character(text))
  const range = /<([0-9a-f]+)>\s*<([0-9a-f]+)>\s*(?:<([0-9a-f]+)>|\[([^\]]*)\])/gi
  for (const [, block = ''] of table.matchAll(/beginbfrange([\s\S]*?)endbfrange/g))
    for (const [, from = '', to = '', first, list] of block.matchAll(range)) {
      const start = Number.parseInt(from, 16)
      const listed = [...(list ?? '').matchAll(/<([0-9a-f]+)>/gi)].map(([, text = '']) => character(text))
      for (let code = start; code <= Number.parseInt(to, 16) && codes.size < MOST_CODES; code++) {
        const text = first === undefined ? listed[code - start] : following(character(first), code - start)
        if (text === undefined) break
        codes.set(code.toString(16).padStart(from.length, '0'), text)
      }
    }
  return codes
}

const character = (hex: string) => utf16(Buffer.from(hex.padStart(4, '0'), 'hex'))

const following = (text: string, steps: number) =>
  text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) + steps)
