import type { Metadata, Sharp } from 'sharp'
import { OTHER_KIND, PAGE, PAGE_IN_PIXELS, PDF_HEADER } from './polyglots.ts'
import { DAMAGED } from './refusals.ts'

/** Maximum pixels to decode: 64 million, more than any phone camera. */
const MAX_PIXELS = 64_000_000
/** Maximum inflated size of a PNG's texts; drawing programs write a few thousand bytes. */
const TEXT_BYTES = 8 * 1024 * 1024
/** libvips reads only this many texts (MAX_PNG_TEXT_CHUNKS in vipspng.c); the others could contain anything. */
const MAX_TEXTS = 20
/** Complete chunks, so that pixels don't match: the end with its checksum; the head of an animation. */
const PNG_END = Buffer.from('\0\0\0\0IEND\xaeB`\x82', 'latin1')
const PNG_ANIMATION = Buffer.from('\0\0\0\x08acTL', 'latin1')
/** An address in bytes that are mostly pixels: stricter than `addressesIn`, which accepts anything around an @. */
const ADDRESS = /[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[\w-]{1,63}(\.[\w-]{1,63}){0,8}\.[a-z]{2,24}/gi

let library: Promise<typeof import('sharp')> | undefined

/**
 * Decodes a picture completely, to detect damage, and passes its texts to `see`.
 * @returns why the file is refused; null when it is accepted
 */
export async function inspectPicture(
  type: 'image/png' | 'image/jpeg',
  content: Buffer,
  see: (text: string) => void,
): Promise<string | null> {
  const opened = await openPicture(type, content)
  if ('fault' in opened) return opened.fault
  const { metadata, decode } = opened
  const comments = metadata.comments ?? []
  if (comments.length >= MAX_TEXTS) return 'it has more texts than can be looked through'
  if (comments.reduce((sum, { text }) => sum + text.length, 0) > TEXT_BYTES) return 'its texts unfold to more than 8 MB'
  const plain = content.toString('latin1')
  const texts = [
    ...comments.map(({ keyword, text }) => `${keyword}\n${text}`),
    ...[metadata.exif, metadata.iptc].flatMap((bytes) => (bytes ? [bytes.toString('latin1')] : [])),
    ...(metadata.xmp ? [metadata.xmp.toString('utf8')] : []),
    (plain.match(ADDRESS) ?? []).join('\n'),
  ]
  for (const text of texts) see(text)
  const isOther = PAGE_IN_PIXELS.test(plain) || PDF_HEADER.test(plain) || texts.some((text) => PAGE.test(text))
  if (isOther) return OTHER_KIND
  const decoded = await decode()
    .resize(16, 16, { fit: 'fill' })
    .raw()
    .toBuffer()
    .catch(() => null)
  return decoded ? null : DAMAGED
}

export interface Picture {
  metadata: Metadata
  /** Decodes it from its start; fails at damage. */
  decode(): Sharp
}

/** Reads the head of a picture. @returns `fault`: why it is refused */
export async function openPicture(
  type: 'image/png' | 'image/jpeg',
  content: Buffer,
): Promise<Picture | { fault: string }> {
  const { default: sharp } = await loadDecoder()
  if (type === 'image/png') {
    if (content.includes(PNG_ANIMATION)) return { fault: 'it is animated' }
    const end = content.indexOf(PNG_END)
    if (end < 0) return { fault: DAMAGED }
    if (end + PNG_END.length !== content.length) return { fault: 'something follows the end of the picture' }
  }
  // The pixel limit is checked here, so that it has its own message.
  const decode = () => sharp(content, { failOn: 'error', limitInputPixels: false })
  const metadata = await decode()
    .metadata()
    .catch(() => null)
  if (!metadata) return { fault: DAMAGED }
  if (metadata.width * metadata.height > MAX_PIXELS) return { fault: 'it has more than 64 million pixels' }
  return { metadata, decode }
}

export const loadDecoder = () => (library ??= load())

/** Allows two of libvips' forty formats; no cache between files. */
async function load(): Promise<typeof import('sharp')> {
  const library = await import('sharp')
  const { default: sharp } = library
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg'] })
  sharp.cache(false)
  sharp.concurrency(1)
  return library
}
