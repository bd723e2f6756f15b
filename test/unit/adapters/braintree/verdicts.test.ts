import { describe, expect, test } from 'vitest'
import { fileName, markOf } from '../../../../adapters/braintree/documents/marks.ts'
import { acceptanceVerdict, submissionVerdict } from '../../../../adapters/braintree/probe.ts'
import { simulated } from './connect.ts'

const DIGEST = 'd'.repeat(64)

/** The table of BEHAVIOR.md: PSP state × what was sent → outcome. */
describe('whether our acceptance counted', () => {
  test.each([
    ['open', ['open'], 'not_done', 'not_done'],
    ['accepted', ['open', 'accepted'], 'done', 'done'],
    ['lost', ['open', 'accepted', 'lost'], 'done', 'done'],
    ['auto_accepted', ['open', 'auto_accepted'], 'impossible', 'impossible'],
    ['lost', ['open', 'lost'], 'impossible', 'impossible'],
    ['expired', ['open', 'expired'], 'impossible', 'impossible'],
    ['disputed', ['open', 'disputed'], 'impossible', 'impossible'],
    ['under_review', ['open', 'under_review'], 'impossible', 'impossible'],
    ['won', ['open', 'won'], 'impossible', 'impossible'],
    // Without a history nothing proves that the call had no effect.
    ['lost', [], 'unknown', 'impossible'],
    ['of_next_year', ['open'], 'unknown', 'unknown'],
  ])('%s after %j', (status, history, whenSent, never) => {
    expect(acceptanceVerdict({ status, history }, true).answer).toBe(whenSent)
    expect(acceptanceVerdict({ status, history }, false).answer).toBe(never)
    expect(acceptanceVerdict({ status, history }, undefined).answer).toBe(never)
  })

  test('a loss before the call is reported as such', () => {
    const { why } = acceptanceVerdict({ status: 'lost', history: ['open', 'lost'] }, false)
    expect(why).toBe('The dispute was lost by decision before the acceptance was sent.')
  })

  test('the history of a reopened dispute starts with its last opening', async () => {
    await using braintree = await simulated()
    const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback' })
    await braintree.adapter.acceptDispute({ reference, idempotencyKey: 'k' })
    await braintree.control('POST', '/clock', { seconds: 60 })
    for (const outcome of ['reopened', 'lost'])
      await braintree.control('POST', `/disputes/${reference}/decide`, { outcome })
    const question = { kind: 'acceptance', reference, sent: false } as const
    expect((await braintree.adapter.probe(question)).answer).toBe('impossible')
  })
})

describe('whether our submission was sent', () => {
  const entry = { id: 'e', category: 'GENERAL', comment: null, url: null, createdAt: null, sentToProcessorAt: null }
  const named = (owner: string, digest: string) =>
    `https://documents.example.com/x/${fileName({ name: 'proof.pdf', type: 'application/pdf' }, markOf({ owner, digest }))}`
  const ours = { ...entry, url: named('us', DIGEST) }
  const sent = { ...ours, sentToProcessorAt: '2026-03-20' }
  const text = { ...entry, comment: 'Words  of ours.' }
  const foreignText = { ...entry, comment: 'By hand.' }
  const foreignDocument = { ...entry, url: named('another tenant', 'e'.repeat(64)) }
  const unnamed = { ...entry, url: 'https://documents.example.com/x/proof.pdf' }
  const texts = { GENERAL: 'Words of ours.' }

  test.each([
    ['open', ['open'], [ours], 'not_done', 'not_done'],
    ['disputed', ['open', 'disputed'], [ours, text], 'done', 'impossible'],
    ['disputed', [], [ours], 'done', 'impossible'],
    ['won', ['open', 'disputed', 'won'], [ours], 'done', 'impossible'],
    ['lost', ['open', 'disputed', 'lost'], [ours], 'done', 'impossible'],
    ['won', [], [ours], 'done', 'impossible'],
    // The issuer decided while our evidence was attached and not yet sent.
    ['won', ['open', 'won'], [ours], 'impossible', 'impossible'],
    ['lost', ['open', 'lost'], [ours], 'impossible', 'impossible'],
    ['lost', ['open', 'lost'], [], 'impossible', 'impossible'],
    ['lost', ['open', 'lost'], [sent], 'done', 'impossible'],
    ['under_review', ['open', 'under_review'], [sent], 'done', 'impossible'],
    // A review of our submission, or the payment method's own.
    ['under_review', ['open', 'under_review'], [ours], 'unknown', 'impossible'],
    ['won', ['open', 'under_review', 'won'], [ours], 'unknown', 'impossible'],
    ['under_review', ['open', 'disputed', 'under_review'], [ours], 'done', 'impossible'],
    ['under_review', [], [ours], 'done', 'impossible'],
    ['under_review', ['open', 'under_review'], [], 'impossible', 'impossible'],
    ['accepted', ['open', 'accepted'], [ours], 'impossible', 'impossible'],
    ['expired', ['open', 'expired'], [ours], 'impossible', 'impossible'],
    ['auto_accepted', ['open', 'auto_accepted'], [ours], 'impossible', 'impossible'],
    ['disputed', ['open', 'disputed'], [], 'impossible', 'impossible'],
    // Never done if another person's evidence is attached.
    ['disputed', ['open', 'disputed'], [sent, foreignDocument], 'unknown', 'impossible'],
    ['disputed', ['open', 'disputed'], [sent, unnamed], 'unknown', 'impossible'],
    ['lost', ['open', 'disputed', 'lost'], [sent, text, foreignText], 'unknown', 'impossible'],
    ['disputed', ['open', 'disputed'], [foreignDocument], 'impossible', 'impossible'],
    ['of_next_year', ['open'], [ours], 'unknown', 'unknown'],
  ])('%s after %j', (status, history, evidence, whenSent, never) => {
    const dispute = { status, history, evidence }
    expect(submissionVerdict(dispute, { digest: DIGEST, texts, sent: true }).answer).toBe(whenSent)
    expect(submissionVerdict(dispute, { digest: DIGEST, texts, sent: false }).answer).toBe(never)
    expect(submissionVerdict(dispute, { digest: DIGEST, texts }).answer).toBe(never)
  })

  test('a loss before the call is reported as such', () => {
    const lost = { status: 'lost', history: ['open', 'lost'], evidence: [ours] }
    expect(submissionVerdict(lost, { digest: DIGEST }).why).toBe(
      'The dispute was lost by decision before the evidence was sent.',
    )
    const byHand = { status: 'disputed', history: ['open', 'disputed'], evidence: [sent] }
    expect(submissionVerdict(byHand, { digest: DIGEST }).why).toContain('Somebody finalized the dispute at Braintree')
  })
})
