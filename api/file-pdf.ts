import { codesOf } from './pdf-codes.ts'
import { cut, unfolded } from './pdf-streams.ts'
import { showTexts } from './pdf-text.ts'

const DAMAGED = 'it is damaged or incomplete'
/** What its streams may grow to, pictures apart; a document of 6 MB stays far below. */
const INFLATED_BYTES = 64 * 1024 * 1024
const MOST_STREAMS = 20_000
/** Fonts' tables tried on each text; more is a document that no shop makes. */
const MOST_MAPS = 12
/** Eight hundred pages of 2,500 letters set one by one; as many of a thousand Chinese ones through twelve tables. */
const TEXT = { strings: 2_000_000, characters: 20_000_000 }
/** Programs of fonts: large, and their brackets are there by chance. */
const FONT = /\/(Length1|Type1C|CIDFontType0C|OpenType)(?!\w)/

/** Names of things that act by themselves, carry other files, or hide what they are (ISO 32000-1, 7.6, 12.6, 12.7). */
const ACTIVE: [RegExp, string][] = [
  [/\/(JavaScript|JS)(?![\w-])/, 'it holds JavaScript'],
  [/\/Launch(?![\w-])/, 'it starts programs'],
  [/\/(EmbeddedFiles?|RichMedia|GoToE)(?![\w-])/, 'it carries other files'],
  [/\/XFA(?![\w-])/, 'it is an interactive form'],
  [/\/Encrypt(?![\w-])/, 'it is encrypted'],
]

/**
 * Reads a PDF as far as its safety and the people in it are concerned: `see` is shown everything that it shows or says
 * of itself, as far as it can be read.
 * @returns why it is refused; null when nothing speaks against it
 */
export async function readPdf(content: Buffer, see: (text: string) => void): Promise<string | null> {
  const text = content.toString('latin1')
  if (!/%%EOF[\s\0]*$/.test(text.slice(-1024))) return DAMAGED
  const { outside, streams } = cut(text, MOST_STREAMS)
  if (streams.length > MOST_STREAMS) return 'it has more parts than can be looked through'
  const bodies: string[] = []
  const shown = [outside]
  let objects = outside
  let budget = INFLATED_BYTES
  for (const { dictionary: escaped, from, to } of streams) {
    const dictionary = unescaped(escaped)
    const holdsObjects = /\/ObjStm(?!\w)/.test(dictionary)
    if (!holdsObjects && /\/Subtype\s*\/Image(?!\w)/.test(dictionary)) continue
    const found = await unfolded(dictionary, content.subarray(from, to), budget)
    if (found === 'too large') return 'it unfolds to more than 64 MB'
    if (holdsObjects && !found?.whole) return 'parts of it can’t be read'
    if (!found) continue
    budget -= found.body.length
    if (holdsObjects) objects += `\n${found.body}`
    bodies.push(found.body)
    if (!FONT.test(dictionary)) shown.push(found.body)
  }
  const names = unescaped(objects)
  const active = ACTIVE.find(([pattern]) => pattern.test(names))
  if (active) return active[1]
  const tables = bodies.filter((body) => body.includes('begincmap')).slice(0, MOST_MAPS)
  const maps = tables.map(codesOf).filter((codes) => codes !== null)
  const left = { ...TEXT }
  for (const piece of [outside, ...bodies]) see(piece)
  const all = shown.every((piece) => showTexts(piece, maps, left, see))
  return all ? null : 'it has more text than can be looked through'
}

/** Names may spell any letter by its number: /J#61vaScript. Byte by byte, because a text may be nothing but that. */
function unescaped(names: string): string {
  let sign = names.indexOf('#')
  if (sign < 0) return names
  const bytes = Buffer.from(names, 'latin1')
  let length = 0
  let from = 0
  for (; sign >= 0; sign = names.indexOf('#', from)) {
    const hex = names.slice(sign + 1, sign + 3)
    const spelt = /^[0-9a-f]{2}$/i.test(hex)
    length += bytes.copy(bytes, length, from, sign)
    bytes[length++] = spelt ? Number.parseInt(hex, 16) : 0x23
    from = sign + (spelt ? 3 : 1)
  }
  length += bytes.copy(bytes, length, from)
  return bytes.toString('latin1', 0, length)
}
