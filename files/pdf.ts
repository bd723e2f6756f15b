import { checkObjects, UNREADABLE } from './pdf-objects.ts'
import { openDocument, type PdfDocument } from './pdf-reader.ts'
import { DAMAGED } from './refusals.ts'

const SCRIPTS = 'it holds JavaScript'

/**
 * Checks a PDF in two ways, because readers differ: every object of the file, referenced or not (pdf-lib), and the
 * document as a viewer opens it (pdf.js). `see` receives all its texts.
 * @returns why the file is refused; null when it is accepted
 */
export async function inspectPdf(content: Buffer, see: (text: string) => void): Promise<string | null> {
  if (!/%%EOF[\s\0]*$/.test(content.toString('latin1', content.length - 1_024))) return DAMAGED
  const active = await checkObjects(content, see).catch(() => UNREADABLE)
  if (active !== null) return active
  const opened = await openDocument(content)
  if ('fault' in opened) return opened.fault === 'encrypted' ? 'it is encrypted' : DAMAGED
  try {
    return await checkDocument(opened, see)
  } catch {
    // Pages that a viewer can't open, or whose texts can't be checked.
    return UNREADABLE
  } finally {
    await opened.close()
  }
}

async function checkDocument({ document }: PdfDocument, see: (text: string) => void): Promise<string | null> {
  if ((await document.hasJSActions()) || (await document.getJSActions())) return SCRIPTS
  if (await document.getAttachments()) return 'it carries other files'
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    // Two-byte codes in a font without that declaration appear as letters with zeros between them.
    const texts = items.flatMap((item) => ('str' in item ? [item.str.replaceAll('\0', '')] : []))
    see(texts.join('\n'))
    // Letters of a word may be placed one by one.
    if (texts.length > 1) see(texts.join(''))
    page.cleanup()
  }
  return null
}
