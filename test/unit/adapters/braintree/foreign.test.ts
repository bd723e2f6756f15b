import { describe, expect, test } from 'vitest'
import { type Anything, refusal, type Simulated, simulated } from './connect.ts'
import { BY_HAND, entriesOf, finalized, opened, packetOf, put, SECOND, WHOLE } from './packets.ts'

describe('evidence of somebody else', () => {
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

  test.each(others)('%s: refused with a sentence, nothing added, nothing of it taken away', async (_, places) => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await places(braintree, reference)
    const before = await entriesOf(braintree, reference)
    for (const write of [braintree.adapter.stageEvidence, braintree.adapter.submitEvidence]) {
      const error = await refusal(write(first))
      expect(error.kind).toBe('rejected_final')
      expect(error.message).toMatch(/not of this submission \(1 (document|text)(, 1 text)?\)\. Nothing was sent/)
    }
    expect(await entriesOf(braintree, reference)).toEqual(before)
    expect(finalized(braintree)).toBe(0)
  })

  test.each(others)('%s, after ours was staged: ours is withdrawn, the rest stays', async (_, places) => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await places(braintree, reference)
    const theirs = await entriesOf(braintree, reference)
    await put(braintree, reference, [])
    await braintree.adapter.stageEvidence(first)
    await put(braintree, reference, [...theirs, ...(await entriesOf(braintree, reference))])
    expect((await refusal(braintree.adapter.submitEvidence(first))).kind).toBe('rejected_final')
    expect(await entriesOf(braintree, reference)).toEqual(theirs)
    expect(finalized(braintree)).toBe(0)
  })

  test('two tenants that submit at once: no answer goes out with both, neither is told that it succeeded', async () => {
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

  test('went out with ours although we looked right before: nobody knows, never done', async () => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await braintree.adapter.stageEvidence(first)
    const meddling: typeof fetch = async (input, init) => {
      if (init?.method === 'PUT') await put(braintree, reference, [...(await entriesOf(braintree, reference)), BY_HAND])
      return fetch(input, init)
    }
    expect((await refusal(braintree.connect({ fetch: meddling }).submitEvidence(first))).kind).toBe('outcome_unknown')
    const { texts, digest } = first
    const question = { kind: 'submission', reference, digest, texts, submissionsBefore: 0, sent: true } as const
    expect((await braintree.adapter.probe(question)).answer).toBe('unknown')
    expect((await refusal(braintree.adapter.submitEvidence(first))).kind).toBe('outcome_unknown')
  })

  test('the very words of ours, there before: not put twice, not taken away with ours', async () => {
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
