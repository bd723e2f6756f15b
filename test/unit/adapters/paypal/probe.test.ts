import { describe, expect, test } from 'vitest'
import { markOf } from '../../../../adapters/paypal/documents/evidence-body.ts'
import { sentByUs, submissionVerdict } from '../../../../adapters/paypal/probe.ts'
import { answer, asked, detail, link, resolved, reviewed } from './paypal.ts'

const digest = 'ab12'.repeat(16)

describe('the probe of a submission', () => {
  const ours = `Reference: ${markOf(digest)}`
  const supporting = { links: [link('provide_supporting_info')] }
  const tracked = answer(undefined, undefined, { evidence_info: { tracking_info: [{ tracking_number: '1Z' }] } })
  const later = (notes: string | undefined) => answer(notes, '2026-02-12T00:00:00.000Z')
  /** Without a call of ours; with one that may have arrived; with one that PayPal took. */
  const verdicts = (dispute: unknown, submissionsBefore = 0) =>
    [{ sent: false }, { sent: true }, { sent: true, taken: true }].map(
      (own) => submissionVerdict(dispute, { digest, submissionsBefore, ...own }).answer,
    )
  test.each([
    ['our mark in the notes', reviewed([asked('OTHER'), answer(ours)]), ['done', 'done', 'done']],
    [
      'our mark in a document',
      reviewed([answer(undefined, undefined, { documents: [{ name: `${markOf(digest)}-1.pdf` }] })]),
      ['done', 'done', 'done'],
    ],
    ['somebody else’s words', reviewed([answer('a person wrote this')]), ['impossible', 'unknown', 'unknown']],
    [
      'somebody else’s words, and closed',
      resolved('RESOLVED_SELLER_FAVOUR', {}, { evidences: [answer('a person wrote this')] }),
      ['impossible', 'impossible', 'impossible'],
    ],
    [
      'another tenant’s document',
      reviewed([answer(undefined, undefined, { documents: [{ name: `${markOf('cd'.repeat(32))}-1.pdf` }] })]),
      ['impossible', 'unknown', 'unknown'],
    ],
    ['a new entry that shows nothing', reviewed([answer(undefined)]), ['impossible', 'unknown', 'done']],
    [
      'a new entry while PayPal still asks',
      detail({ evidences: [answer(undefined)] }),
      ['impossible', 'unknown', 'unknown'],
    ],
    [
      'a new entry while the appeal is still open',
      resolved('RESOLVED_BUYER_FAVOUR', {}, { evidences: [answer(undefined)], links: [link('appeal')] }),
      ['impossible', 'unknown', 'unknown'],
    ],
    ['no entry, still asked', detail(), ['not_done', 'not_done', 'not_done']],
    ['no entry, under review', reviewed([]), ['impossible', 'unknown', 'unknown']],
    ['no entry, closed', resolved('RESOLVED_BUYER_FAVOUR'), ['impossible', 'impossible', 'impossible']],
    [
      'asked again after it',
      detail({ evidences: [answer(ours), asked('OTHER', { date: '2026-02-12T00:00:00Z' })] }),
      ['not_done', 'not_done', 'not_done'],
    ],
    [
      'supporting information',
      reviewed([], { supporting_info: [{ source: 'SUBMITTED_BY_SELLER', notes: ours }] }),
      ['done', 'done', 'done'],
    ],
    ['no entry yet, and supporting information is taken', reviewed([], supporting), ['not_done', 'unknown', 'unknown']],
    [
      'a new entry that shows nothing, and supporting information is taken',
      reviewed([answer(undefined)], supporting),
      ['impossible', 'unknown', 'done'],
    ],
    ['tracking of somebody else', reviewed([tracked]), ['impossible', 'unknown', 'unknown']],
    [
      'tracking of somebody else, and a new entry that shows nothing',
      reviewed([answer(undefined), tracked]),
      ['impossible', 'unknown', 'unknown'],
    ],
    [
      'somebody else’s words, and a new entry that shows nothing',
      reviewed([answer('by hand'), answer(undefined)]),
      ['impossible', 'unknown', 'unknown'],
    ],
    [
      'words of before it, and a new entry that shows nothing',
      reviewed([later(undefined), answer('by hand')]),
      ['impossible', 'unknown', 'done'],
      1,
    ],
    [
      'an entry of before it that shows nothing, and new words',
      reviewed([later('by hand'), answer(undefined)]),
      ['impossible', 'unknown', 'unknown'],
      1,
    ],
    [
      'supporting information of somebody else, and more is taken',
      reviewed([], {
        ...supporting,
        supporting_info: [{ source: 'SUBMITTED_BY_SELLER', notes: 'by hand' }],
      }),
      ['impossible', 'unknown', 'unknown'],
    ],
    [
      'the buyer’s evidence',
      reviewed([{ ...answer('hers'), source: 'SUBMITTED_BY_BUYER' }]),
      ['impossible', 'unknown', 'unknown'],
    ],
    [
      'an appeal that is still open',
      resolved('RESOLVED_BUYER_FAVOUR', {}, { evidences: [answer(ours)], links: [link('appeal')] }),
      ['not_done', 'not_done', 'not_done'],
      1,
    ],
    ['an entry of before the write', reviewed([answer(undefined)]), ['impossible', 'unknown', 'unknown'], 1],
  ])('%s', (_, dispute, expected, before = 0) => expect(verdicts(dispute, before)).toEqual(expected))

  test('what is impossible is said in a sentence for the merchant', () => {
    for (const shown of [reviewed([answer('by hand')]), reviewed([]), resolved('RESOLVED_BUYER_FAVOUR')])
      expect(submissionVerdict(shown, { digest, submissionsBefore: 0 }).why).toMatch(/^[A-Z].{30,}\.$/)
  })
  test('a mark of other evidence is not ours', () =>
    expect(sentByUs(reviewed([answer(markOf('cd'.repeat(32)))]), digest)).toBe(false))
})
