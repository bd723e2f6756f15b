import { spawnSync } from 'node:child_process'
import { loadReader, openDocument } from '../../../../files/pdf-reader.ts'

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

/** A rectangle that is drawn as a line, in points from the lower left corner. */
export interface DrawnBox {
  x: number
  y: number
  w: number
  h: number
  /** Width of the line. */
  line: number
}

const ENDS = ['restore', 'endGroup', 'paintFormXObjectEnd'] as const
type Matrix = readonly [number, number, number, number, number, number]

/** What pdf.js draws as lines, by page. */
export async function drawnBoxes(pdf: Uint8Array): Promise<DrawnBox[][]> {
  const [{ OPS }, opened] = [await loadReader(), await openDocument(pdf)]
  if ('fault' in opened) throw new Error(opened.fault)
  try {
    const numbers = Array.from({ length: opened.document.numPages }, (_, index) => index + 1)
    return await Promise.all(
      numbers.map(async (number) => {
        const { fnArray, argsArray } = await (await opened.document.getPage(number)).getOperatorList()
        const boxes: DrawnBox[] = []
        const saved: { matrix: Matrix; line: number }[] = []
        let state: { matrix: Matrix; line: number } = { matrix: [1, 0, 0, 1, 0, 0], line: 1 }
        for (const [index, operator] of fnArray.entries()) {
          const values = argsArray[index]
          if (operator === OPS.save || operator === OPS.beginGroup) saved.push(state)
          else if (operator === OPS.paintFormXObjectBegin) {
            saved.push(state)
            if (values[0]) state = { ...state, matrix: times(state.matrix, values[0]) }
          } else if (ENDS.map((end) => OPS[end]).includes(operator)) state = saved.pop() ?? state
          else if (operator === OPS.transform) state = { ...state, matrix: times(state.matrix, values) }
          else if (operator === OPS.setLineWidth) state = { ...state, line: values[0] }
          else if (operator === OPS.constructPath && values[0] === OPS.stroke && values[2])
            boxes.push(boxOf(state, values[2]))
        }
        return boxes
      }),
    )
  } finally {
    await opened.close()
  }
}

const times = ([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix => [
  ...([a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j] as const),
  ...([a * k + c * l + e, b * k + d * l + f] as const),
]

/** @param given the smallest and largest x and y of a path */
function boxOf(
  { matrix: [a, b, c, d, e, f], line }: { matrix: Matrix; line: number },
  given: ArrayLike<number>,
): DrawnBox {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = Array.from(given)
  const [xs, ys] = [
    [a * x1 + c * y1 + e, a * x2 + c * y2 + e],
    [b * x1 + d * y1 + f, b * x2 + d * y2 + f],
  ]
  const [x, y] = [Math.min(...xs), Math.min(...ys)]
  return { x, y, w: Math.max(...xs) - x, h: Math.max(...ys) - y, line: line * Math.hypot(a, b) }
}

export const pagesByPdfJs = async (pdf: Uint8Array): Promise<string[]> =>
  (await placedTexts(pdf)).map((texts) => texts.map(({ text }) => text).join(' '))

/** Whether poppler's `pdftotext` is installed. */
export const hasPoppler = spawnSync('pdftotext', ['-v']).status === 0

export const textByPoppler = (pdf: Uint8Array): string =>
  spawnSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8', maxBuffer: 50_000_000 }).stdout
