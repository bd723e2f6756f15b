import type { PDFObject, PDFRawStream } from '@cantoo/pdf-lib'

/** Maximum inflated size of its streams, pictures excluded; a document of 6 MB stays far below. */
const INFLATED_BYTES = 64 * 1024 * 1024
export const UNREADABLE = 'parts of it can’t be read'
const SCRIPTS = 'it holds JavaScript'
const FILES = 'it carries other files'

/** Names of active content, embedded files and encryption (ISO 32000-1, 7.6, 12.6, 12.7). */
const ACTIVE: Record<string, string> = {
  JavaScript: SCRIPTS,
  JS: SCRIPTS,
  Launch: 'it starts programs',
  EmbeddedFile: FILES,
  EmbeddedFiles: FILES,
  RichMedia: FILES,
  GoToE: FILES,
  XFA: 'it is an interactive form',
  Encrypt: 'it is encrypted',
}
/** The same in bytes. Shorter names occur in compressed bytes by chance. */
const NAMES = /\/(JavaScript|Launch|EmbeddedFiles?|RichMedia|GoToE|Encrypt)(?![\w-])/g
/** In bytes that the library parses as no object, and that are no stream. */
const NAMES_IN_INVALID = /\/(JavaScript|JS|Launch|EmbeddedFiles?|RichMedia|GoToE|XFA|Encrypt|ObjStm)(?![\w-])/

/**
 * Checks every object of the file, also unreferenced and replaced ones. `see` receives their texts, and the streams
 * that are no pictures.
 * @returns why the file is refused; null when it is accepted
 */
export async function checkObjects(content: Buffer, see: (text: string) => void): Promise<string | null> {
  const library = await import('@cantoo/pdf-lib')
  const { PDFInvalidObject, PDFName, PDFRawStream } = library
  const objects = await allObjects(library, content)
  if (objects === null) return UNREADABLE
  const streams: PDFRawStream[] = []
  for (const object of objects) {
    const found = object instanceof PDFInvalidObject ? inInvalid(object) : inObject(library, object, see)
    if (found !== null) return found
    if (object instanceof PDFRawStream) streams.push(object)
  }
  const hidden = outsideOfStreams(content, streams)
  if (hidden !== null) return hidden
  // Viewers treat any stream with these keys as one of objects, whatever its type.
  const isDisguised = ({ dict }: PDFRawStream) =>
    dict.has(PDFName.of('First')) && dict.has(PDFName.of('N')) && dict.get(PDFName.of('Type')) !== PDFName.of('ObjStm')
  if (streams.some(isDisguised)) return UNREADABLE
  return showStreams(library, streams, see)
}

type Library = typeof import('@cantoo/pdf-lib')

/** In file order. Null when the file can't be parsed to its end. */
async function allObjects({ PDFParser }: Library, content: Buffer): Promise<PDFObject[] | null> {
  const parser = PDFParser.forBytesWithOptions(content, Number.POSITIVE_INFINITY)
  // The context keeps only the last object of a number; viewers may show an earlier one.
  const { context } = parser as unknown as { context: import('@cantoo/pdf-lib').PDFContext }
  const assign = context.assign.bind(context)
  const objects: PDFObject[] = []
  context.assign = (ref, object) => {
    objects.push(object)
    assign(ref, object)
  }
  try {
    const { trailerInfo } = await parser.parseDocument()
    return [...objects, ...Object.values(trailerInfo).filter((one): one is PDFObject => one !== undefined)]
  } catch {
    return null
  }
}

/** Iterative, because the nesting may be deeper than the stack. */
function inObject(library: Library, object: PDFObject, see: (text: string) => void): string | null {
  const { PDFArray, PDFDict, PDFHexString, PDFName, PDFStream, PDFString } = library
  const left: PDFObject[] = [object]
  const texts: string[] = []
  for (let one = left.pop(); one; one = left.pop()) {
    if (one instanceof PDFName) {
      const name = one.decodeText()
      if (Object.hasOwn(ACTIVE, name)) return ACTIVE[name] as string
    } else if (one instanceof PDFString || one instanceof PDFHexString) texts.push(one.decodeText())
    else if (one instanceof PDFArray) for (const member of one.asArray()) left.push(member)
    else if (one instanceof PDFStream) left.push(one.dict)
    else if (one instanceof PDFDict) for (const [key, value] of one.entries()) left.push(key, value)
  }
  if (texts.length > 0) see(texts.join('\n'))
  return null
}

/** Names may encode any letter by its number: /J#61vaScript. */
const unescaped = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('latin1')
    .replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

function inInvalid(object: PDFObject): string | null {
  const { data } = object as unknown as { data: Uint8Array }
  const name = NAMES_IN_INVALID.exec(unescaped(data))?.[1]
  return name === undefined ? null : (ACTIVE[name] ?? UNREADABLE)
}

/**
 * Names outside of streams and parsed objects, for example in a comment that a reference table points at. Counted,
 * because a page's text may mention JavaScript.
 */
function outsideOfStreams(content: Buffer, streams: readonly PDFRawStream[]): string | null {
  const counts = new Map<string, number>()
  const count = (bytes: Uint8Array, by: 1 | -1) => {
    for (const [, name = ''] of unescaped(bytes).matchAll(NAMES)) counts.set(name, (counts.get(name) ?? 0) + by)
  }
  count(content, 1)
  for (const { contents } of streams) count(contents, -1)
  const found = [...counts].find(([, left]) => left > 0)
  return found ? (ACTIVE[found[0]] as string) : null
}

function showStreams(library: Library, streams: readonly PDFRawStream[], see: (text: string) => void): string | null {
  const { decodePDFRawStream, PDFName } = library
  let budget = INFLATED_BYTES
  for (const stream of streams) {
    const isObjects = stream.dict.get(PDFName.of('Type')) === PDFName.of('ObjStm')
    if (!isObjects && stream.dict.get(PDFName.of('Subtype')) === PDFName.of('Image')) continue
    const body = decoded(() => decodePDFRawStream(stream).decode())
    if (body === null) continue
    budget -= body.length
    if (budget < 0) return 'it unfolds to more than 64 MB'
    see(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1'))
  }
  return null
}

/** Null for picture filters, and for damaged streams, which viewers do not show either. */
function decoded(decode: () => Uint8Array): Uint8Array | null {
  try {
    return decode()
  } catch {
    return null
  }
}
