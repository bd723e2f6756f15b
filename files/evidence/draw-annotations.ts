import type { PDFDict, PDFPage, PDFRef, PDFStream } from '@cantoo/pdf-lib'

type Library = typeof import('@cantoo/pdf-lib')
type Matrix = [number, number, number, number, number, number]

/** Comments and marks that a viewer shows on the page. Links, windows, attached files and media aren't part of it. */
const MARKS = new Set([
  ...['FreeText', 'Line', 'Square', 'Circle', 'Polygon', 'PolyLine', 'Highlight', 'Underline', 'Squiggly'],
  ...['StrikeOut', 'Stamp', 'Caret', 'Ink'],
])
/** ISO 32000-1, table 165: the annotation is hidden, or not shown on the screen. */
const HIDDEN = 1 << 1
const NO_VIEW = 1 << 5
/** Of a page. */
const MOST = 500

/**
 * Draws the comments and marks of a page on it, as a viewer shows them, because only the content of a page is set.
 * @returns how many can't be drawn, because they don't say what they look like, or are too many
 */
export function drawAnnotations(library: Library, page: PDFPage): number {
  const { PDFArray, PDFDict, PDFName } = library
  const entries = page.node.lookup(PDFName.of('Annots'))
  let [found, lost] = [0, 0]
  for (const entry of entries instanceof PDFArray ? entries.asArray() : []) {
    const mark = page.doc.context.lookup(entry)
    if (!(mark instanceof PDFDict)) continue
    const subtype = mark.lookup(PDFName.of('Subtype'))
    if (!(subtype instanceof PDFName) || !MARKS.has(subtype.decodeText())) continue
    if (isHidden(library, mark)) continue
    found += 1
    try {
      if (found > MOST) throw new Error('there are too many')
      drawMark(library, page, mark)
    } catch {
      lost += 1
    }
  }
  return lost
}

function isHidden({ PDFName, PDFNumber }: Library, mark: PDFDict): boolean {
  const flags = mark.lookup(PDFName.of('F'))
  return flags instanceof PDFNumber && (flags.asNumber() & (HIDDEN | NO_VIEW)) !== 0
}

/** @throws Error when the mark has no appearance, or one without extent */
function drawMark(library: Library, page: PDFPage, mark: PDFDict): void {
  const { reference, stream } = appearanceOf(library, mark)
  const [left, bottom, right, top] = boxOf(numbersOf(library, mark, 'Rect'))
  const box = boxOf(corners(numbersOf(library, stream.dict, 'BBox'), matrixOf(library, stream.dict)))
  const [x, y] = [(right - left) / (box[2] - box[0]), (top - bottom) / (box[3] - box[1])]
  if (!Number.isFinite(x) || !Number.isFinite(y)) throw new Error('the appearance has no extent')
  stream.dict.set(library.PDFName.of('Subtype'), library.PDFName.of('Form'))
  const name = page.node.newXObject('Mark', reference)
  page.pushOperators(
    library.pushGraphicsState(),
    library.concatTransformationMatrix(x, 0, 0, y, left - box[0] * x, bottom - box[1] * y),
    library.drawObject(name),
    library.popGraphicsState(),
  )
}

/** The normal appearance, of several the one of the current state. */
function appearanceOf({ PDFDict, PDFName, PDFRef, PDFStream }: Library, mark: PDFDict) {
  const { context } = mark
  const all = mark.lookup(PDFName.of('AP'), PDFDict)
  let reference = all.get(PDFName.of('N'))
  const states = context.lookup(reference)
  if (states instanceof PDFDict) reference = states.get(mark.lookup(PDFName.of('AS'), PDFName))
  const stream = context.lookup(reference)
  if (!(reference instanceof PDFRef) || !(stream instanceof PDFStream)) throw new Error('there is no appearance')
  return { reference: reference as PDFRef, stream: stream as PDFStream }
}

const numbersOf = ({ PDFArray, PDFName, PDFNumber }: Library, dict: PDFDict, name: string): number[] =>
  dict
    .lookup(PDFName.of(name), PDFArray)
    .asArray()
    .map((one) => dict.context.lookup(one, PDFNumber).asNumber())

function matrixOf(library: Library, dict: PDFDict): Matrix {
  return dict.has(library.PDFName.of('Matrix'))
    ? (numbersOf(library, dict, 'Matrix') as Matrix)
    : ([1, 0, 0, 1, 0, 0] satisfies Matrix)
}

/** The four corners of a box after a transformation: x and y by turns. */
function corners([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: number[], [a, b, c, d, e, f]: Matrix): number[] {
  const at = (x: number, y: number) => [a * x + c * y + e, b * x + d * y + f]
  return [at(x1, y1), at(x2, y1), at(x1, y2), at(x2, y2)].flat()
}

/** The smallest box around points; x and y by turns. */
function boxOf(points: number[]): [number, number, number, number] {
  const [xs, ys] = [0, 1].map((axis) => points.filter((_, index) => index % 2 === axis)) as [number[], number[]]
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}
