import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { PDFDocument } from '@cantoo/pdf-lib'
import { describe, expect, test } from 'vitest'
import { fontInfos } from '../../../../files/evidence/font-infos.ts'
import { renderEvidence } from '../../../../files/evidence/render.ts'
import { loadTypst } from '../../../../files/evidence/typst.ts'
import { documentOf, EARLIER } from '../../domain/evidence/document/document-input.ts'
import { CLAIMS } from '../../domain/evidence/evidence-input.ts'
import { folded, hasPoppler, letters, pagesByPdfJs, placedTexts, textByPoppler } from './pdf-text.ts'

const bytes = (document: object) => new TextEncoder().encode(JSON.stringify({ document, exhibits: [], compact: false }))
const render = (document: object) => renderEvidence({ content: bytes(document), exhibits: [] })
const hash = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
const HOSTILE = '#eval("x") *b* <script> {{ 7 | times: 7 }} {% include "a" %} $x$ @a https://example.com'
const ARABIC = 'شارع الملك فهد، الرياض'
const MIXED = 'café Ελλάδα Москва Việt ไทย 😀'

if (!hasPoppler) console.warn('SKIPPED: the PDF is not read by pdftotext, which is not installed')

describe('a PDF of the evidence', () => {
  test('has every kept statement and no dropped one, and prints markup as typed', async () => {
    const { document, composed } = documentOf(
      { transactionOrderItemsProductDescription: HOSTILE, deliverySignedBy: MIXED, shippingDate: '2026-03-09' },
      { claim: CLAIMS.not_received },
    )
    expect(composed.statements.filter(({ kept }) => !kept).length).toBeGreaterThan(0)
    const { pdf, uncovered } = await render(document)
    expect(uncovered).toEqual([])
    const texts = [(await pagesByPdfJs(pdf)).join(' '), ...(hasPoppler ? [textByPoppler(pdf)] : [])]
    for (const text of texts) {
      for (const statement of document.statements) expect(folded(text)).toContain(folded(statement))
      expect(text).toContain(HOSTILE.slice(0, 20))
      // Contradicted: delivered before it was shipped.
      expect(folded(text)).not.toContain(folded('The order was delivered'))
      expect(text).not.toContain('6 March 2026, 11:42')
    }
  })

  test.skipIf(!hasPoppler)('is read the same by pdftotext', async () => {
    const { pdf } = await render(documentOf().document)
    expect(letters(textByPoppler(pdf))).toBe(letters((await pagesByPdfJs(pdf)).join('')))
  })

  test('has all letters of right-to-left values, each value in its own direction', async () => {
    const { document } = documentOf({ transactionShippingToFullShippingAddress: `12 ${ARABIC}` })
    const { pdf, uncovered } = await render(document)
    expect(uncovered).toEqual([])
    const text = letters((await pagesByPdfJs(pdf)).join(''))
    expect([...new Set(folded(ARABIC))].filter((letter) => !text.includes(letter))).toEqual([])
    // The address begins at the right with its number. Without isolates the number would belong to the English before it.
    expect(await sideOfNumber(pdf)).toBe('right')
    const { pdf: bare } = await render(JSON.parse(JSON.stringify(document).replaceAll(/[\u2068\u2069]/g, '')))
    expect(await sideOfNumber(bare)).toBe('left')
  })

  test('has no date, no link, no script and the pages that a viewer counts', async () => {
    const orderItems = Array.from({ length: 1_000 }, (_, index) => ({ name: 'x'.repeat(5_000), amount: `${index}.00` }))
    const { document } = documentOf({ orderItems }, { claim: CLAIMS.fraud_cnp, earlier: EARLIER })
    const { pdf, pages } = await render(document)
    const texts = await pagesByPdfJs(pdf)
    expect(pages).toBe(texts.length)
    expect(pages).toBeGreaterThan(1)
    expect(pages).toBeLessThanOrEqual(10)
    expect(pdf.length).toBeLessThan(600_000)
    for (const [index, text] of texts.entries()) {
      expect(text).toContain(`Page ${index + 1} of ${pages}`)
      expect(folded(text)).toContain(folded(document.footer))
    }
    expect(Buffer.from(pdf).toString('latin1')).not.toMatch(
      /CreationDate|ModDate|CreateDate|ModifyDate|\/JavaScript|\/URI/,
    )
    expect(texts.join(' ')).toContain('and 975 more lines')
  })

  test('names the dispute and the merchant in its properties, and no person', async () => {
    const { pdf } = await render(
      documentOf(
        { timeline: [{ when: '2026-03-07', what: 'Return label sent' }] },
        { claim: CLAIMS.fraud_cnp, earlier: EARLIER },
      ).document,
    )
    const read = await PDFDocument.load(pdf, { updateMetadata: false })
    const author = read.getAuthor()?.replaceAll(/[\u2068\u2069]/g, '')
    expect([read.getTitle(), author]).toEqual(['Evidence for dispute dp_7', 'Shoes Example Ltd'])
    expect([read.getSubject(), read.getKeywords()]).toEqual([undefined, undefined])
    expect(Buffer.from(pdf).toString('latin1')).not.toMatch(/Byron|ada@example/)
  })

  test('a short table is not split between two pages', async () => {
    const { pdf } = await render(
      documentOf(
        { timeline: [{ when: '2026-03-07', what: 'Return label sent' }] },
        { claim: CLAIMS.fraud_cnp, earlier: EARLIER },
      ).document,
    )
    const pages = await pagesByPdfJs(pdf)
    const events = ['Notice of the renewal sent', 'Last use by the customer']
    expect(events.map((event) => pages.findIndex((text) => text.includes(event)))).toEqual([1, 1])
  })

  test('60 long statements, the most of a document, stay bounded', async () => {
    const { document } = documentOf()
    const statements = Array.from({ length: 60 }, (_, index) => `Sentence ${index} ${'word '.repeat(300)}`)
    const { pdf, pages } = await render({ ...document, statements })
    expect(pages).toBeLessThanOrEqual(40)
    expect(pdf.length).toBeLessThan(2_000_000)
  })

  test('prints [?] for a script without a font, and names the script', async () => {
    const { document } = documentOf({ customerName: 'x', orderId: '東京 தமிழ் \ue000' })
    const { pdf, uncovered } = await render(document)
    expect(uncovered).toEqual(['Tamil', 'symbols'])
    expect((await pagesByPdfJs(pdf)).join(' ')).toMatch(/東京 +\[\?\] \[\?\]/)
  })
})

/** Where the number 12 of the first statement stands, seen from its Arabic letters. */
async function sideOfNumber(pdf: Uint8Array): Promise<'left' | 'right'> {
  const [texts = []] = await placedTexts(pdf)
  const line = texts.find(({ text }) => text.startsWith('The order was delivered'))
  const placeOf = (pattern: RegExp) =>
    Math.max(...texts.filter(({ text, y }) => y === line?.y && pattern.test(text)).map(({ x }) => x))
  return placeOf(/12/) > placeOf(/[\u0600-\u06ff]/) ? 'right' : 'left'
}

describe('fonts', () => {
  test.each(
    JSON.parse(readFileSync('files/evidence/fonts/fonts.json', 'utf8')) as {
      file: string
      sha256: string
      licence: string
    }[],
  )('$file is the published file, with its licence', ({ file, sha256, licence }) => {
    expect(hash(readFileSync(`files/evidence/fonts/${file}`))).toBe(sha256)
    expect(readFileSync(`files/evidence/fonts/${licence}`, 'utf8')).toContain('SIL Open Font License, Version 1.1')
  })

  test('are described by infos.json, which npm run generate writes', async () => {
    expect(readFileSync('files/evidence/fonts/infos.json', 'utf8')).toBe(await fontInfos())
  })

  test('cover Latin, Greek, Cyrillic, Arabic, Hebrew, Thai, Devanagari, Han, kana, Hangul and emoji; not Tamil', async () => {
    const { isCovered } = await loadTypst()
    const covered = (text: string) => [...text].every((one) => isCovered(one.codePointAt(0) ?? 0))
    expect([...'éαжشשกक東スの신😀'].filter((one) => !covered(one))).toEqual([])
    expect(covered('த')).toBe(false)
  })
})
