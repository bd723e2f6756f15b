import { expect, test } from 'vitest'
import { fitTexts } from '../../../adapters/shared/evidence-plan.ts'
import { requirementsOf } from '../../../adapters/stripe/evidence.ts'
import { sampleDispute } from './loopback.ts'

const limits = {
  ...requirementsOf(
    { reference: 'dp_sample1', text: JSON.stringify(sampleDispute()) },
    new Date('2026-09-30T00:00:00Z'),
  ),
  textFields: { a: 10, b: 10, c: 10 },
  maxTextCharacters: 15,
}

test('a text that would be useless if shortened is dropped, whichever limit it exceeds', () => {
  const ids = (field: string) => field === 'b'
  expect(fitTexts(limits, { a: 'x'.repeat(10), b: '1Z-12345', c: 'y'.repeat(10) }, ids)).toEqual({
    texts: { a: 'x'.repeat(10), c: 'y'.repeat(5) },
    shortened: [{ field: 'c', from: 10, to: 5 }],
    dropped: [{ what: 'b', why: 'all texts together exceed 15' }],
  })
})
