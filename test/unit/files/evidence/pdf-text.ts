import { spawnSync } from 'node:child_process'
import { openDocument } from '../../../../files/pdf-reader.ts'

/** Marks of layout that readers report or leave out: isolates, places to break, spaces. */
const MARKS = /[\s\u200b\u2066-\u2069\u202a-\u202e]/gu

/** Text without spaces and marks, for comparison: readers place spaces by geometry. */
export const folded = (text: string): string => text.normalize('NFKC').replaceAll(MARKS, '')

/** Letters in any order: readers report a right-to-left line as they see it. */
export const letters = (text: string): string => [...folded(text)].sort().join('')

/** Texts as pdf.js reads them, by page, with their places in points from the lower left corner. */
export async function placedTexts(pdf: Uint8Array): Promise<{ text: string; x: number; y: number }[][]> {
  const opened = await openDocument(pdf)
  if ('fault' in opened) throw new Error(opened.fault)
  try {
    const numbers = Array.from({ length: opened.document.numPages }, (_, index) => index + 1)
    return await Promise.all(
      numbers.map(async (number) => {
        const { items } = await (await opened.document.getPage(number)).getTextContent()
        return items.flatMap((item) =>
          'str' in item ? [{ text: item.str, x: Number(item.transform[4]), y: Number(item.transform[5]) }] : [],
        )
      }),
    )
  } finally {
    await opened.close()
  }
}

export const pagesByPdfJs = async (pdf: Uint8Array): Promise<string[]> =>
  (await placedTexts(pdf)).map((texts) => texts.map(({ text }) => text).join(' '))

/** Whether poppler's `pdftotext` is installed. */
export const hasPoppler = spawnSync('pdftotext', ['-v']).status === 0

export const textByPoppler = (pdf: Uint8Array): string =>
  spawnSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8', maxBuffer: 50_000_000 }).stdout
