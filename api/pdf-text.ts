import { type Codes, utf16 } from './pdf-codes.ts'

/** Text that a PDF shows: the operands of its text operators, through its fonts' tables where it has them. */

/** What may still be read of one document; below nothing it has more than can be looked through. */
export interface TextBudget {
  strings: number
  /** Looked up in fonts' tables, and found there. */
  characters: number
}

/** Text as pages show it, other than a font or a colour profile that has brackets by chance: those are no codes. */
const SHOWING = /(?:^|[\s\0)>\]])(?:BT|Tj|TJ)(?=[\s\0/[(<]|$)/
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }
const PIECES_AT_ONCE = 8_192

/**
 * Shows all strings of a piece of the file, twice: each on its own line, and run together, because a word may be set
 * letter by letter.
 * @returns false when the budget is spent: the rest stays unread
 */
export function showTexts(piece: string, maps: Codes[], budget: TextBudget, see: (text: string) => void): boolean {
  const strings = stringsOf(piece, budget)
  if (strings.length === 0) return budget.strings >= 0
  const seeBoth = (lines: string[]) => {
    see(lines.join('\n'))
    if (lines.length > 1) see(lines.join(''))
  }
  seeBoth(strings.map(plain))
  if (SHOWING.test(piece))
    for (const map of maps) {
      seeBoth(strings.map((one) => mapped(one, map, budget)))
      if (budget.characters < 0) break
    }
  return budget.strings >= 0 && budget.characters >= 0
}

/** Literal and hexadecimal strings as Latin-1, in order. One pass: what is not closed ends the piece. */
function stringsOf(piece: string, budget: TextBudget): string[] {
  const found: string[] = []
  for (let at = 0; at < piece.length && budget.strings >= 0; at++) {
    const character = piece[at]
    if (character === '(') {
      const end = endOfLiteral(piece, at)
      found.push(unescaped(piece.slice(at + 1, end)))
      budget.strings--
      at = end
    } else if (character === '<' && piece[at + 1] === '<') at++
    else if (character === '<') {
      const end = piece.indexOf('>', at)
      if (end < 0) break
      const hex = piece.slice(at + 1, end)
      if (/^[0-9a-f\s]+$/i.test(hex)) {
        found.push(Buffer.from(hex.replaceAll(/\s+/g, ''), 'hex').toString('latin1'))
        budget.strings--
      }
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

/** Written byte by byte: a pattern would hold all escapes of a long text at once. */
function unescaped(literal: string): string {
  if (!literal.includes('\\')) return literal
  const bytes = Buffer.allocUnsafe(literal.length)
  let length = 0
  for (let at = 0; at < literal.length; at++) {
    if (literal[at] !== '\\') {
      bytes[length++] = literal.charCodeAt(at)
      continue
    }
    const next = literal[++at] ?? ''
    const octal = next >= '0' && next <= '7' && /^[0-7]{1,3}/.exec(literal.slice(at, at + 3))?.[0]
    if (octal) {
      bytes[length++] = Number.parseInt(octal, 8) & 0xff
      at += octal.length - 1
    } else if (next === '\r' && literal[at + 1] === '\n') at++
    else if (next !== '\r' && next !== '\n' && next !== '') bytes[length++] = (ESCAPES[next] ?? next).charCodeAt(0)
  }
  return bytes.toString('latin1', 0, length)
}

const plain = (text: string) => (text.startsWith('\xfe\xff') ? utf16(Buffer.from(text.slice(2), 'latin1')) : text)

function mapped(text: string, { width, shown }: Codes, budget: TextBudget): string {
  const parts: string[] = []
  let pieces: string[] = []
  for (let at = 0; at + width <= text.length && budget.characters >= 0; at += width) {
    let code = 0
    for (let byte = 0; byte < width; byte++) code = code * 256 + text.charCodeAt(at + byte)
    const piece = shown.get(code) ?? ''
    budget.characters -= 1 + piece.length
    pieces.push(piece)
    if (pieces.length < PIECES_AT_ONCE) continue
    parts.push(pieces.join(''))
    pieces = []
  }
  return parts.join('') + pieces.join('')
}
