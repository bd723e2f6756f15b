import { promisify } from 'node:util'
import { inflate as inflateCallback } from 'node:zlib'
import { codesOf, shownTexts } from './pdf-text.ts'

const inflate = promisify(inflateCallback)

export interface PdfReading {
  /** Why it is refused; null when nothing speaks against it. */
  fault: string | null
  /** Everything that it shows or says of itself, as far as it can be read. */
  texts: string[]
}

const DAMAGED = 'it is damaged or incomplete'
/** What its streams may grow to, pictures apart; a document of 6 MB stays far below. */
const INFLATED_BYTES = 64 * 1024 * 1024
const MOST_STREAMS = 20_000

/** Names of things that act by themselves, carry other files, or hide what they are (ISO 32000-1, 7.6, 12.6, 12.7). */
const ACTIVE: [RegExp, string][] = [
  [/\/(JavaScript|JS)(?![\w-])/, 'it holds JavaScript'],
  [/\/Launch(?![\w-])/, 'it starts programs'],
  [/\/(EmbeddedFiles?|RichMedia|GoToE)(?![\w-])/, 'it carries other files'],
  [/\/XFA(?![\w-])/, 'it is an interactive form'],
  [/\/Encrypt(?![\w-])/, 'it is encrypted'],
]

/** Reads a PDF as far as its safety and the people in it are concerned. Never more than `INFLATED_BYTES` at once. */
export async function readPdf(content: Buffer): Promise<PdfReading> {
  const refused = (fault: string): PdfReading => ({ fault, texts: [] })
  const text = content.toString('latin1')
  if (!/%%EOF[\s\0]*$/.test(text.slice(-1024))) return refused(DAMAGED)
  const { outside, streams } = cut(text)
  if (streams.length > MOST_STREAMS) return refused('it has more parts than can be looked through')
  const bodies: string[] = []
  let objects = outside
  let budget = INFLATED_BYTES
  for (const { dictionary: escaped, from, to } of streams) {
    const dictionary = unescaped(escaped)
    const holdsObjects = /\/ObjStm(?!\w)/.test(dictionary)
    if (!holdsObjects && /\/Subtype\s*\/Image(?!\w)/.test(dictionary)) continue
    const body = await decode(dictionary, content.subarray(from, to), budget)
    if (body === 'too large') return refused('it unfolds to more than 64 MB')
    if (body === null) {
      if (holdsObjects) return refused('parts of it can’t be read')
      continue
    }
    budget -= body.length
    if (holdsObjects) objects += `\n${body}`
    bodies.push(body)
  }
  const names = unescaped(objects)
  const active = ACTIVE.find(([pattern]) => pattern.test(names))
  if (active) return refused(active[1])
  const maps = bodies.filter((body) => body.includes('begincmap')).map(codesOf)
  return { fault: null, texts: [outside, ...bodies].flatMap((body) => [body, ...shownTexts(body, maps)]) }
}

/** Names may spell any letter by its number: /J#61vaScript. */
const unescaped = (names: string) =>
  names.replaceAll(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

interface Stream {
  dictionary: string
  from: number
  to: number
}

/** The file's text without the bodies of its streams, and where those are. */
function cut(text: string): { outside: string; streams: Stream[] } {
  const streams: Stream[] = []
  let outside = ''
  let at = 0
  for (const found of text.matchAll(/>>(?:\s|%[^\r\n]*[\r\n])*stream(\r\n|\n|\r)/g)) {
    if (found.index < at) continue
    const from = found.index + found[0].length
    const end = text.indexOf('endstream', from)
    const before = text.slice(at, from)
    streams.push({ dictionary: before.slice(before.lastIndexOf('obj') + 1), from, to: end < 0 ? text.length : end })
    outside += before
    at = end < 0 ? text.length : end
  }
  return { outside: outside + text.slice(at), streams }
}

/** The stream's bytes as Latin-1; null where they are under a filter other than none or Flate. */
async function decode(dictionary: string, bytes: Buffer, budget: number): Promise<string | null | 'too large'> {
  const filters = /\/Filter\s*(\[[^\]]*\]|\/[\w]+)/.exec(dictionary)?.[1]?.match(/\/\w+/g) ?? []
  if (filters.length === 0) return bytes.length > budget ? 'too large' : bytes.toString('latin1')
  if (filters.length !== 1 || !['/FlateDecode', '/Fl'].includes(filters[0] as string)) return null
  try {
    // A stream that breaks off still shows what comes before.
    const plain = await inflate(bytes, { maxOutputLength: Math.max(1, budget), finishFlush: 2 })
    return plain.toString('latin1')
  } catch (error) {
    return (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : null
  }
}
