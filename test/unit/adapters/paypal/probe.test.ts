import { describe, expect, test } from 'vitest'
import { markOf } from '../../../../adapters/paypal/evidence-body.ts'
import { sentByUs, submissionVerdict } from '../../../../adapters/paypal/probe.ts'
import { answer, asked, detail, link, resolved, reviewed } from './paypal.ts'

const digest = 'ab12'.repeat(16)

describe('the probe of a submission', () => {
  const ours = `Reference: ${markOf(digest)}`
  const supporting = { links: [link('provide_supporting_info')] }
  const tracked = answer(undefined, undefined, { evidence_info: { tracking_info: [{ tracking_number: '1Z' }] } })
  const later = (notes: string | undefined) => answer(notes, '2026-02-12T00:00:00.000Z')
  test.each([
    ['our mark in the notes', reviewed([asked('OTHER'), answer(ours)]), 'done'],
    [
      'our mark in a document',
      reviewed([answer(undefined, undefined, { documents: [{ name: `${markOf(digest)}-1.pdf` }] })]),
      'done',
    ],
    ['somebody else’s words', reviewed([answer('a person wrote this')]), 'impossible'],
    ['a new entry that shows nothing', reviewed([answer(undefined)]), 'done'],
    ['a new entry while PayPal still asks', detail({ evidences: [answer(undefined)] }), 'unknown'],
    [
      'a new entry while the appeal is still open',
      resolved('RESOLVED_BUYER_FAVOUR', {}, { evidences: [answer(undefined)], links: [link('appeal')] }),
      'unknown',
    ],
    ['no entry, still asked', detail(), 'not_done'],
    ['no entry, under review', reviewed([]), 'unknown'],
    ['no entry, closed', resolved('RESOLVED_BUYER_FAVOUR'), 'impossible'],
    [
      'asked again after it',
      detail({ evidences: [answer(ours), asked('OTHER', { date: '2026-02-12T00:00:00Z' })] }),
      'not_done',
    ],
    [
      'supporting information',
      reviewed([], { supporting_info: [{ source: 'SUBMITTED_BY_SELLER', notes: ours }] }),
      'done',
    ],
    ['no entry yet, and supporting information is taken', reviewed([], supporting), 'unknown'],
    [
      'a new entry that shows nothing, and supporting information is taken',
      reviewed([answer(undefined)], supporting),
      'done',
    ],
    ['tracking of somebody else', reviewed([tracked]), 'unknown'],
    [
      'tracking of somebody else, and a new entry that shows nothing',
      reviewed([answer(undefined), tracked]),
      'unknown',
    ],
    [
      'somebody else’s words, and a new entry that shows nothing',
      reviewed([answer('by hand'), answer(undefined)]),
      'unknown',
    ],
    [
      'words of before it, and a new entry that shows nothing',
      reviewed([later(undefined), answer('by hand')]),
      'done',
      1,
    ],
    [
      'an entry of before it that shows nothing, and new words',
      reviewed([later('by hand'), answer(undefined)]),
      'impossible',
      1,
    ],
    [
      'supporting information of somebody else, and more is taken',
      reviewed([], {
        ...supporting,
        supporting_info: [{ source: 'SUBMITTED_BY_SELLER', notes: 'by hand' }],
      }),
      'unknown',
    ],
    ['the buyer’s evidence', reviewed([{ ...answer('hers'), source: 'SUBMITTED_BY_BUYER' }]), 'unknown'],
    [
      'an appeal that is still open',
      resolved('RESOLVED_BUYER_FAVOUR', {}, { evidences: [answer(ours)], links: [link('appeal')] }),
      'not_done',
      1,
    ],
  ])('%s', (_, dispute, verdict, before = 0) => expect(submissionVerdict(dispute, digest, before).answer).toBe(verdict))

  test('an entry of before the write proves nothing', () =>
    expect(submissionVerdict(reviewed([answer(undefined)]), digest, 1).answer).toBe('unknown'))
  test('a mark of other evidence is not ours', () =>
    expect(sentByUs(reviewed([answer(markOf('cd'.repeat(32)))]), digest)).toBe(false))
})
