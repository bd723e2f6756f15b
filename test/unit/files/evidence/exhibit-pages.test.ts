import { degrees, PDFDocument, StandardFonts } from '@cantoo/pdf-lib'
import { describe, expect, test } from 'vitest'
import type { Highlight } from '../../../../domain/evidence/file-metadata.ts'
import { buildPackage } from './build-package.ts'
import { contentOf } from './hostile-exhibits.ts'
import { FULL_PACKAGES } from './package-cases.ts'
import { type DrawnBox, drawnBoxes, placedTexts } from './pdf-text.ts'

/** The pages of a file as the only exhibit. */
async function exhibitPages(name: string, highlights: readonly Highlight[] = [], content?: Uint8Array) {
  const files = [{ name, kind: 'delivery' as const, highlights }]
  const contents = { [name]: content ?? (await contentOf(name)) }
  const made = await buildPackage({ ...FULL_PACKAGES.not_received, files }, { contents })
  if ('refused' in made) throw new Error(made.refused)
  const [texts, boxes] = [await placedTexts(made.pdf), await drawnBoxes(made.pdf)]
  const pages = made.exhibits[0]?.pages ?? 0
  return { made, texts: texts.slice(-pages), boxes: boxes.slice(-pages) }
}

/** The line around a page of an exhibit, and the frames in it. */
function framesIn(boxes: readonly DrawnBox[]) {
  // The page itself may have lines, too: they come before the one around it.
  const at = boxes.findLastIndex(({ line }) => near(line, 0.5))
  const [page, ...drawn] = boxes.slice(at)
  if (at < 0 || !page) throw new Error('there is no line around the page')
  // White dashes in a black line, both 2 points outside of the part that is marked.
  const lines = drawn.filter(({ line }) => near(line, 1.5))
  const [black, white] = [0, 1].map((one) => lines.filter((_, index) => index % 2 === one))
  expect(white?.map(placed)).toEqual(black?.map(placed))
  const frames = (black ?? []).map((box) => ({ ...box, x: box.x + 2, y: box.y + 2, w: box.w - 4, h: box.h - 4 }))
  return { page, frames }
}

const near = (one: number, other: number) => Math.abs(one - other) < 0.01
const placed = ({ x, y, w, h }: DrawnBox) => [x, y, w, h].map((one) => one.toFixed(1))

/** A frame as a share of its page, from the upper left corner. */
const share = (page: DrawnBox, { x, y, w, h }: DrawnBox) => ({
  ...{ x: (x - page.x) / page.w, y: (page.y + page.h - y - h) / page.h, w: w / page.w, h: h / page.h },
})

function expectFrame(boxes: readonly DrawnBox[], wanted: Highlight) {
  const { page, frames } = framesIn(boxes)
  expect(frames).toHaveLength(1)
  const found = share(page, frames[0] as DrawnBox)
  for (const key of ['x', 'y', 'w', 'h'] as const) expect(found[key], key).toBeCloseTo(wanted[key], 3)
}

describe('a frame', () => {
  test('stands around the words that the merchant marked, on their page only', async () => {
    const [highlight] = FULL_PACKAGES.not_received.files.find(({ name }) => name === 'delivery.pdf')?.highlights ?? []
    if (!highlight) throw new Error('no highlight')
    const { texts, boxes } = await exhibitPages('delivery.pdf', [highlight])
    expectFrame(boxes[0] ?? [], highlight)
    const [frame] = framesIn(boxes[0] ?? []).frames
    const inside = texts[0]?.filter(
      ({ text, x, y }) =>
        text.trim() && frame && x > frame.x && x < frame.x + frame.w && y > frame.y && y < frame.y + frame.h,
    )
    expect(inside?.map(({ text }) => text).join(' ')).toMatch(
      /^Delivered.*6 March 2026, 11:42 UTC.*Received by.*A\. Byron$/,
    )
    expect(framesIn(boxes[1] ?? []).frames).toEqual([])
  })

  test('is in shares of a page as it is seen: turned, cut or a picture', async () => {
    const pdf = await PDFDocument.create({ updateMetadata: false })
    const font = await pdf.embedFont(StandardFonts.Helvetica)
    const page = pdf.addPage([400, 800])
    page.drawText('marked', { x: 120, y: 500, size: 12, font })
    page.setCropBox(100, 400, 200, 300)
    page.setRotation(degrees(90))
    const turned = { page: 1, x: 0.2, y: 0.05, w: 0.3, h: 0.4 }
    const { boxes } = await exhibitPages('turned.pdf', [turned], await pdf.save())
    const { page: seen } = framesIn(boxes[0] ?? [])
    expect(seen.w / seen.h).toBeCloseTo(300 / 200, 2)
    expectFrame(boxes[0] ?? [], turned)
    const [seal] = [{ page: 1, x: 0.5, y: 0.25, w: 0.25, h: 0.5 }]
    expectFrame((await exhibitPages('parcel.jpg', [seal])).boxes[0] ?? [], seal)
  })
})

describe('comments and marks of a PDF', () => {
  test('are printed where a viewer shows them, hidden ones are not, and what has no appearance is named', async () => {
    const { made, texts, boxes } = await exhibitPages('annotated.pdf')
    const { page } = framesIn(boxes[0] ?? [])
    const scale = page.w / 595
    const at = (word: string) => {
      const found = texts[0]?.find(({ text }) => text.includes(word))
      return found && [Math.round((found.x - page.x) / scale), Math.round((found.y - page.y) / scale)]
    }
    expect(at('Sheet 1')).toEqual([60, 760])
    expect(at('Left with the neighbour')).toEqual([102, 604])
    // Twice as large as it is drawn.
    expect(at('Signed copy')).toEqual([104, 508])
    expect(at('Not for the bank')).toBeUndefined()
    expect(made.warnings).toEqual([
      "Comments and marks of Exhibit A (1) can't be printed: print the file to a PDF with them, or use `highlight`.",
    ])
    expect(Buffer.from(made.pdf).toString('latin1')).not.toMatch(/\/Annots|\/URI/)
  })
})

describe('a file that is too large', () => {
  test('of 400 pages is enclosed with its first 15, which its pages and a warning say', async () => {
    const { made, texts } = await exhibitPages('long.pdf')
    const words = texts.map((page) => page.map(({ text }) => text).join(' '))
    expect(words.map((page) => /Sheet (\d+)/.exec(page)?.[1])).toEqual(
      Array.from({ length: 15 }, (_, at) => `${at + 1}`),
    )
    expect(words[0]).toContain('These are the first 15 of 400 pages.')
    expect(made).toMatchObject({ dropped: [], warnings: ['Exhibit A has the first 15 of 400 pages.'] })
  })

  test('of 65 million pixels is left out and named, and the others stay', async () => {
    const files = [
      { name: 'huge.png', kind: 'photo' as const, caption: 'The parcel at the door' },
      { name: 'parcel.jpg', kind: 'photo' as const, caption: 'The parcel in the hall' },
    ]
    const made = await buildPackage({ ...FULL_PACKAGES.not_received, files })
    if ('refused' in made) throw new Error(made.refused)
    expect(made.exhibits).toMatchObject([{ fileId: '1', letter: 'A', pages: 1 }])
    expect(made.dropped).toEqual([
      { fileId: '0', why: 'The file is left out, because it has more than 64 million pixels.' },
    ])
  })
})
