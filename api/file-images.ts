import { inflateSync } from 'node:zlib'

/** What a picture is made of, as far as it matters before it is kept. Nothing is decoded. */
export interface ImageReading {
  /** Why it is refused; null when nothing speaks against it. */
  fault: string | null
  /** Text that it carries beside its pixels. */
  texts: string[]
  /** What is neither pixels nor text of its own: where another file could hide. */
  margins: string
}

/** Pixels that a decoder is made to hold: 64 million, more than any camera of a phone. */
const MOST_PIXELS = 64_000_000
const DAMAGED = 'it is damaged or incomplete'
/** What the compressed texts of a PNG may unfold to together; programs that draw write some thousand. */
const TEXT_BYTES = 8 * 1024 * 1024

const refused = (fault: string): ImageReading => ({ fault, texts: [], margins: '' })

const pixelFault = (width: number, height: number): string | null => {
  if (width === 0 || height === 0) return DAMAGED
  return width * height > MOST_PIXELS ? 'it has more than 64 million pixels' : null
}

/** PNG, W3C Recommendation of 2003: chunks from IHDR to IEND and nothing behind. */
export function readPng(content: Buffer): ImageReading {
  const texts: string[] = []
  let data = false
  let budget = TEXT_BYTES
  for (let at = 8; at + 12 <= content.length; ) {
    const length = content.readUInt32BE(at)
    const type = content.toString('latin1', at + 4, at + 8)
    const body = content.subarray(at + 8, at + 8 + length)
    const end = at + 12 + length
    if (end > content.length || (at === 8) !== (type === 'IHDR')) return refused(DAMAGED)
    if (type === 'IHDR') {
      const fault = length === 13 ? pixelFault(body.readUInt32BE(0), body.readUInt32BE(4)) : DAMAGED
      if (fault) return refused(fault)
    }
    if (type === 'acTL') return refused('it is animated')
    if (type === 'IDAT') data = true
    else if (type === 'IEND') {
      if (!data) return refused(DAMAGED)
      if (end !== content.length) return refused('something follows the end of the picture')
      return { fault: null, texts, margins: texts.join('\n') }
    } else {
      const packed = packedText(type, body)
      const plain = packed && inflated(packed, budget)
      if (plain === null) return refused(DAMAGED)
      if (plain === 'too large') return refused('its texts unfold to more than 8 MB')
      texts.push(body.toString('latin1'))
      if (plain) texts.push(plain.toString('utf8'))
      budget -= plain?.length ?? 0
    }
    at = end
  }
  return refused(DAMAGED)
}

/** Texts of zTXt and some iTXt chunks are deflated; keyword and, in iTXt, language come before (11.3.4). */
function packedText(type: string, body: Buffer): Buffer | undefined {
  const keyword = body.indexOf(0)
  if (type === 'zTXt') return body.subarray(keyword + 2)
  if (type !== 'iTXt' || body[keyword + 1] === 0) return undefined
  const language = body.indexOf(0, keyword + 3)
  return body.subarray(body.indexOf(0, language + 1) + 1)
}

function inflated(packed: Buffer, budget: number): Buffer | null | 'too large' {
  try {
    return inflateSync(packed, { maxOutputLength: Math.max(1, budget) })
  } catch (error) {
    return (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? 'too large' : null
  }
}

/** JPEG, ITU T.81: segments up to the end of the image. Cameras append previews and depth maps behind it. */
export function readJpeg(content: Buffer): ImageReading {
  const texts: string[] = []
  let sized = false
  for (let at = 2; at + 4 <= content.length || content[at + 1] === 0xd9; ) {
    if (content[at] !== 0xff) return refused(DAMAGED)
    const marker = content[at + 1] as number
    if (marker === 0xff) {
      at++
      continue
    }
    if (marker === 0xd9) {
      const tail = content.toString('latin1', at + 2)
      return sized ? { fault: null, texts, margins: [...texts, tail].join('\n') } : refused(DAMAGED)
    }
    const length = content.readUInt16BE(at + 2)
    const end = at + 2 + length
    if (length < 2 || end > content.length) return refused(DAMAGED)
    if (isFrame(marker)) {
      const fault = length >= 7 ? pixelFault(content.readUInt16BE(at + 7), content.readUInt16BE(at + 5)) : DAMAGED
      if (fault) return refused(fault)
      sized = true
    }
    // APPn and COM
    if ((marker >= 0xe0 && marker <= 0xef) || marker === 0xfe) texts.push(content.toString('latin1', at + 4, end))
    at = marker === 0xda ? endOfScan(content, end) : end
  }
  return refused(DAMAGED)
}

const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** The next marker that is neither a stuffed byte nor a restart. */
function endOfScan(content: Buffer, from: number): number {
  for (let at = content.indexOf(0xff, from); at >= 0; at = content.indexOf(0xff, at + 1)) {
    const next = content[at + 1]
    if (next !== undefined && next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return content.length
}
