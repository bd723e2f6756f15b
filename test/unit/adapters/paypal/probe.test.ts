import { describe, expect, test } from 'vitest'
import { markOf } from '../../../../adapters/paypal/documents/evidence-body.ts'
import { sentByUs, submissionVerdict } from '../../../../adapters/paypal/probe.ts'
import { detail, link, requestedEvidence, resolved, reviewed, sellerEvidence } from './paypal.ts'

const digest = 'ab12'.repeat(16)

describe('the probe of a submission', () => {
  const ours = `Reference: ${markOf(digest)}`
  const supporting = { links: [link('provide_supporting_info')] }
  const tracked = sellerEvidence(undefined, undefined, {
    evidence_info: { tracking_info: [{ tracking_number: '1Z' }] },
  })
  const later = (notes: string | undefined) => sellerEvidence(notes, '2026-02-12T00:00:00.000Z')
  /** Verdicts without a call of ours, with one that may have arrived, and with one that PayPal accepted. */
  const verdicts = (dispute: unknown, submissionsBefore = 0) =>
    [{ sent: false }, { sent: true }, { sent: true, taken: true }].map(
      (own) => submissionVerdict(dispute, { digest, submissionsBefore, ...own }).answer,
    )
  test.each([
    ['our mark in the notes', reviewed([requestedEvidence('OTHER'), sellerEvidence(ours)]), ['done', 'done', 'done']],
    [
      'our mark in a document',
      reviewed([sellerEvidence(undefined, undefined, { documents: [{ name: `${markOf(digest)}-1.pdf` }] })]),
      ['done', 'done', 'done'],
    ],
    ['another person’s notes', reviewed([sellerEvidence('a person wrote this')]), ['impossible', 'unknown', 'unknown']],
    [
      'another person’s notes, and closed',
      resolved('RESOLVED_SELLER_FAVOUR', {}, { evidences: [sellerEvidence('a person wrote this')] }),
      ['impossible', 'impossible', 'impossible'],
    ],
    [
      'another tenant’s document',
      reviewed([sellerEvidence(undefined, undefined, { documents: [{ name: `${markOf('cd'.repeat(32))}-1.pdf` }] })]),
      ['impossible', 'unknown', 'unknown'],
    ],
    ['a new entry without content', reviewed([sellerEvidence(undefined)]), ['impossible', 'unknown', 'done']],
    [
      'a new entry while PayPal still waits for evidence',
      detail({ evidences: [sellerEvidence(undefined)] }),
      ['impossible', 'unknown', 'unknown'],
    ],
    [
      'a new entry while the appeal is still open',
      resolved('RESOLVED_BUYER_FAVOUR', {}, { evidences: [sellerEvidence(undefined)], links: [link('appeal')] }),
      ['impossible', 'unknown', 'unknown'],
    ],
    ['no entry, while PayPal still waits for evidence', detail(), ['not_done', 'not_done', 'not_done']],
    ['no entry, under review', reviewed([]), ['impossible', 'unknown', 'unknown']],
    ['no entry, closed', resolved('RESOLVED_BUYER_FAVOUR'), ['impossible', 'impossible', 'impossible']],
    [
      'our mark, and a later request for evidence',
      detail({ evidences: [sellerEvidence(ours), requestedEvidence('OTHER', { date: '2026-02-12T00:00:00Z' })] }),
      ['not_done', 'not_done', 'not_done'],
    ],
    [
      'our mark in supporting information',
      reviewed([], { supporting_info: [{ source: 'SUBMITTED_BY_SELLER', notes: ours }] }),
      ['done', 'done', 'done'],
    ],
    [
      'no entry yet, and supporting information is accepted',
      reviewed([], supporting),
      ['not_done', 'unknown', 'unknown'],
    ],
    [
      'a new entry without content, and supporting information is accepted',
      reviewed([sellerEvidence(undefined)], supporting),
      ['impossible', 'unknown', 'done'],
    ],
    ['another person’s tracking', reviewed([tracked]), ['impossible', 'unknown', 'unknown']],
    [
      'another person’s tracking, and a new entry without content',
      reviewed([sellerEvidence(undefined), tracked]),
      ['impossible', 'unknown', 'unknown'],
    ],
    [
      'another person’s notes, and a new entry without content',
      reviewed([sellerEvidence('by hand'), sellerEvidence(undefined)]),
      ['impossible', 'unknown', 'unknown'],
    ],
    [
      'earlier notes, and a new entry without content',
      reviewed([later(undefined), sellerEvidence('by hand')]),
      ['impossible', 'unknown', 'done'],
      1,
    ],
    [
      'an earlier entry without content, and new notes',
      reviewed([later('by hand'), sellerEvidence(undefined)]),
      ['impossible', 'unknown', 'unknown'],
      1,
    ],
    [
      'another person’s supporting information, and more is accepted',
      reviewed([], {
        ...supporting,
        supporting_info: [{ source: 'SUBMITTED_BY_SELLER', notes: 'by hand' }],
      }),
      ['impossible', 'unknown', 'unknown'],
    ],
    [
      'the buyer’s evidence',
      reviewed([{ ...sellerEvidence('hers'), source: 'SUBMITTED_BY_BUYER' }]),
      ['impossible', 'unknown', 'unknown'],
    ],
    [
      'our mark, and an appeal that is still open',
      resolved('RESOLVED_BUYER_FAVOUR', {}, { evidences: [sellerEvidence(ours)], links: [link('appeal')] }),
      ['not_done', 'not_done', 'not_done'],
      1,
    ],
    ['an entry from before the write', reviewed([sellerEvidence(undefined)]), ['impossible', 'unknown', 'unknown'], 1],
  ])('%s', (_, dispute, expected, before = 0) => expect(verdicts(dispute, before)).toEqual(expected))

  test('impossible comes with a reason for the merchant', () => {
    for (const shown of [reviewed([sellerEvidence('by hand')]), reviewed([]), resolved('RESOLVED_BUYER_FAVOUR')])
      expect(submissionVerdict(shown, { digest, submissionsBefore: 0 }).why).toMatch(/^[A-Z].{30,}\.$/)
  })
  test('a mark of other evidence is not ours', () =>
    expect(sentByUs(reviewed([sellerEvidence(markOf('cd'.repeat(32)))]), digest)).toBe(false))
})
