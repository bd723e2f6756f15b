import { expect, test } from 'vitest'
import { writeEvidence } from '../../../../../domain/evidence/document/write-evidence.ts'
import type { ExhibitKind } from '../../../../../domain/evidence/fact-catalogue.ts'
import { fileHighlights } from '../../../../../domain/evidence/file-metadata.ts'
import { CLAIMS, client, FULL, input } from '../evidence-input.ts'

const file = (kind: ExhibitKind, caption: string | null = null) => ({
  ...{ fileId: kind, kind, of: 'chargeback' as const, caption, highlights: [] },
})

function written(files: ReturnType<typeof file>[], points: object = {}, claim = CLAIMS.not_received) {
  const made = writeEvidence(input({ claim, exhibits: [], sources: [client({ ...FULL, ...points })] }), {
    files,
    merchantName: 'Shoes Example Ltd',
  })
  if (typeof made === 'string') throw new Error(made)
  return made
}

test('statements name their exhibits, and exhibits the numbers of their statements', () => {
  const { document, composed } = written([file('delivery', 'إثبات'), file('signature'), file('photo')])
  expect(document.statements.slice(0, 2)).toEqual([
    'The order was delivered by DHL on 6 March 2026, 11:42 UTC to 12 Mill Lane, Leeds, LS1 4DY, GB (tracking number 00340434161094042557). See Exhibits\u00a0A,\u00a0B\u00a0and\u00a0C.',
    'The delivery of 6 March 2026 was signed for by A. Byron. See Exhibits\u00a0A\u00a0and\u00a0B.',
  ])
  expect(document.exhibits).toMatchObject([
    {
      letter: 'A',
      title: 'Proof of delivery',
      caption: '\u2068إثبات\u2069',
      shows: 'Enclosed for statements\u00a01\u00a0and\u00a02.',
    },
    { letter: 'B', title: 'Signature', caption: '', shows: 'Enclosed for statements\u00a01\u00a0and\u00a02.' },
    { letter: 'C', title: 'Photograph', shows: 'Enclosed for statement\u00a01.' },
  ])
  // Texts of a PSP's fields have no letters.
  expect(composed.statements.map(({ text }) => text).join(' ')).not.toContain('See Exhibit')
})

test('without its file a sentence that depends on it is not written', () => {
  const statements = written([]).document.statements.join('\n')
  expect(statements).not.toMatch(/signed for|See Exhibit|is enclosed/)
})

test('the words of a client end before the exhibits are named', () => {
  const ending = (cancellationRebuttal: string) =>
    written([file('communication')], { cancellationRebuttal }, CLAIMS.cancelled).document.statements[0]
  expect(ending('He came (as agreed)')).toMatch(/He came \(as agreed\)\. See Exhibit/)
  expect(ending('He wrote: "I came."')).toMatch(/He wrote: "I came\." See Exhibit/)
  expect(ending('Er schrieb: „Schön.“')).toMatch(/Schön\.“\u2069 See Exhibit/)
})

test('highlights are parts of a page; anything else is not used', () => {
  const highlight = [
    { page: 2, x: 0.1, y: 0.4, w: 0.5, h: 0.1 },
    { x: 0, y: 0, w: 1, h: 1 },
    ...[
      { x: 0.6, y: 0, w: 0.5, h: 0.1 },
      { x: -0.1, y: 0, w: 0.5, h: 0.1 },
      { x: '0', y: 0, w: 1, h: 1 },
    ],
    ...[{ page: 0, x: 0, y: 0, w: 1, h: 1 }, { x: 0, y: 0, w: 0, h: 1 }, null, 7],
  ]
  expect(fileHighlights(JSON.stringify({ highlight }))).toEqual([
    { page: 2, x: 0.1, y: 0.4, w: 0.5, h: 0.1 },
    { page: 1, x: 0, y: 0, w: 1, h: 1 },
  ])
  expect([null, '{}', '{"highlight":{"x":1}}'].map(fileHighlights)).toEqual([[], [], []])
})
