import { typeOf } from '../inspect.ts'
import type { Jobs, PictureSize, PreparedExhibit } from '../jobs.ts'
import { openPicture } from '../picture.ts'
import { DAMAGED } from '../refusals.ts'
import { preparePdf } from './prepare-pdf.ts'

/** Pixels on A4: 150 and 110 dots an inch. */
const SIZES: Readonly<Record<PictureSize, { width: number; height: number; quality: number }>> = {
  full: { width: 1240, height: 1754, quality: 80 },
  small: { width: 900, height: 1273, quality: 60 },
}
/** Points for each pixel: a small picture isn't spread over the page. */
const POINTS = 0.75

/** See `Jobs`. The file may have been stored by a version that checked less. */
export async function prepareExhibit({
  content,
  size,
}: Jobs['prepareExhibit']['input']): Promise<Jobs['prepareExhibit']['result']> {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const type = typeOf(bytes)
  if (type === null) return { refused: 'it is neither a PDF nor a PNG or JPEG picture' }
  return type === 'application/pdf' ? preparePdf(bytes) : preparePicture(type, bytes, size)
}

/** Upright, on white, without colour and metadata. */
async function preparePicture(
  type: 'image/png' | 'image/jpeg',
  content: Buffer,
  size: PictureSize,
): Promise<PreparedExhibit | { refused: string }> {
  const opened = await openPicture(type, content)
  if ('fault' in opened) return { refused: opened.fault }
  const { quality, ...most } = SIZES[size]
  const made = await opened
    .decode()
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .resize({ ...most, fit: 'inside', withoutEnlargement: true })
    .toColourspace('b-w')
    .jpeg({ quality })
    .toBuffer({ resolveWithObject: true })
    .catch(() => null)
  if (made === null) return { refused: DAMAGED }
  const { data, info } = made
  const pages = [{ width: info.width * POINTS, height: info.height * POINTS }]
  return { content: data, format: 'jpg', pages, of: 1, lost: 0 }
}
