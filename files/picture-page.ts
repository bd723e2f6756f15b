import type { Jobs } from './jobs.ts'

/** A4 in points, and the margin around a picture. */
const PAGE = { long: 842, short: 595, margin: 24 }

/** See `Jobs`. Uses pdf-lib only, because sharp's output may differ between processors and versions. */
export async function convertToPdf({ content, type }: Jobs['convertToPdf']['input']): Promise<Uint8Array | null> {
  const { PDFDocument } = await import('@cantoo/pdf-lib')
  const pdf = await PDFDocument.create({ updateMetadata: false })
  try {
    const picture = type === 'image/png' ? await pdf.embedPng(content) : await pdf.embedJpg(content)
    const wide = picture.width > picture.height
    const [width, height] = wide ? [PAGE.long, PAGE.short] : [PAGE.short, PAGE.long]
    const size = picture.scaleToFit(width - 2 * PAGE.margin, height - 2 * PAGE.margin)
    const page = pdf.addPage([width, height])
    page.drawImage(picture, { x: (width - size.width) / 2, y: (height - size.height) / 2, ...size })
    return await pdf.save()
  } catch {
    return null
  }
}
