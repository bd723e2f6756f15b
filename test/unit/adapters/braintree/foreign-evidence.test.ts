import { describe, expect, test } from 'vitest'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { type Anything, refusal, type Simulated, simulated } from './connect.ts'
import { BY_HAND, entriesOf, finalized, opened, packetOf, put, SECOND, WHOLE } from './packets.ts'

describe('evidence of another person or tenant', () => {
  const others: [string, (braintree: Simulated, reference: string) => Promise<unknown>][] = [
    ['a text by hand', (braintree, reference) => put(braintree, reference, [BY_HAND])],
    [
      'a document by hand',
      (braintree, reference) =>
        put(braintree, reference, [{ ...BY_HAND, comment: null, url: 'https://documents.example.com/proof.pdf' }]),
    ],
    [
      'the packet of another tenant, with the very same document',
      async (braintree, reference) =>
        braintree.adapter.stageEvidence(
          await packetOf(braintree, reference, { PURCHASER_NAME: 'Zoe' }, { digest: SECOND, owner: 'another tenant' }),
        ),
    ],
  ]

  test.each(others)(
    '%s: the submission is refused with a reason, and nothing is added or removed',
    async (_, attach) => {
      await using braintree = await simulated()
      const { reference, first } = await opened(braintree)
      await attach(braintree, reference)
      const before = await entriesOf(braintree, reference)
      for (const write of [braintree.adapter.stageEvidence, braintree.adapter.submitEvidence]) {
        const error = await refusal(write(first))
        expect(error.kind).toBe('rejected_final')
        expect(error.message).toMatch(/not of this submission \(1 (document|text)(, 1 text)?\)\. Nothing was sent/)
      }
      expect(await entriesOf(braintree, reference)).toEqual(before)
      expect(finalized(braintree)).toBe(0)
    },
  )

  test.each(others)('%s, after ours was staged: ours is withdrawn, and theirs stays', async (_, attach) => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await attach(braintree, reference)
    const theirs = await entriesOf(braintree, reference)
    await put(braintree, reference, [])
    await braintree.adapter.stageEvidence(first)
    await put(braintree, reference, [...theirs, ...(await entriesOf(braintree, reference))])
    expect((await refusal(braintree.adapter.submitEvidence(first))).kind).toBe('rejected_final')
    expect(await entriesOf(braintree, reference)).toEqual(theirs)
    expect(finalized(braintree)).toBe(0)
  })

  test('two tenants that submit at once: no submission has both packets, and only sent packets succeed', async () => {
    for (let round = 0; round < 5; round++) {
      await using braintree = await simulated()
      const { reference, first } = await opened(braintree)
      const theirs = await packetOf(
        braintree,
        reference,
        { GENERAL: 'Other words.' },
        { digest: SECOND, owner: 'another tenant' },
      )
      const submit = async (packet: typeof first) => {
        await braintree.adapter.stageEvidence(packet)
        return braintree.adapter.submitEvidence(packet)
      }
      const ends = await Promise.allSettled([submit(first), submit(theirs)])
      const sent = braintree.running.engine.ledger.effects.filter(({ kind }) => kind === 'submission')
      for (const { details } of sent) {
        const words = (details.evidence as Anything[]).map(({ comment }) => comment ?? 'document').sort()
        expect([WHOLE, ['Other words.', 'document']]).toContainEqual(words)
      }
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(sent.length)
    }
  })

  test('that was added after our last read and submitted with ours makes it outcome_unknown, never done', async () => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await braintree.adapter.stageEvidence(first)
    const interfering: PspFetch = async (input, init) => {
      if (init?.method === 'PUT') await put(braintree, reference, [...(await entriesOf(braintree, reference)), BY_HAND])
      return pspFetch(input, init)
    }
    expect((await refusal(braintree.connect({ fetch: interfering }).submitEvidence(first))).kind).toBe(
      'outcome_unknown',
    )
    const { texts, digest } = first
    const question = { kind: 'submission', reference, digest, texts, submissionsBefore: 0, sent: true } as const
    expect((await braintree.adapter.probe(question)).answer).toBe('unknown')
    expect((await refusal(braintree.adapter.submitEvidence(first))).kind).toBe('outcome_unknown')
  })

  test('with the same text as ours is neither attached a second time nor removed with ours', async () => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    const earlier = { ...BY_HAND, comment: 'It  arrived.\r\n', createdAt: '2020-01-01T00:00:00Z' }
    await put(braintree, reference, [earlier])
    await braintree.adapter.stageEvidence(first)
    expect((await entriesOf(braintree, reference)).map(({ comment }) => comment)).toEqual([
      expect.stringContaining('arrived'),
      null,
      'Ada',
    ])
    await put(braintree, reference, [...(await entriesOf(braintree, reference)), { ...BY_HAND, id: 'another' }])
    await refusal(braintree.adapter.submitEvidence(first))
    expect((await entriesOf(braintree, reference)).map(({ id }) => id)).toEqual(['byhand', 'another'])
  })
})
