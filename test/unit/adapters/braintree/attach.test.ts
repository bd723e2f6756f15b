import { describe, expect, test } from 'vitest'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { refusal, type Simulated, simulated } from './connect.ts'
import { contentsOf, entriesOf, FIRST, opened, packetOf, put, SECOND, WHOLE } from './packets.ts'

/** The adapter with a connection that breaks in the nth call that changes evidence, before or after it is applied. */
function breaking(braintree: Simulated, nth: number, applied: boolean) {
  let calls = 0
  const broken: PspFetch = async (input, init) => {
    const changes = /\/evidence(\/\w+)?$/.test(input)
    if (!changes || ++calls !== nth) return pspFetch(input, init)
    if (applied) await pspFetch(input, init)
    throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })
  }
  return braintree.connect({ fetch: broken })
}

describe.each([true, false])('an attempt that was cut off, its last call applied: %s', (applied) => {
  test('the same packet is attached once afterwards, whichever call failed', async () => {
    await using braintree = await simulated()
    // The calls attach a document and two texts.
    for (const nth of [1, 2, 3]) {
      const { reference, first } = await opened(braintree)
      expect((await refusal(breaking(braintree, nth, applied).stageEvidence(first))).kind).toBe('outcome_unknown')
      await braintree.adapter.stageEvidence(first)
      expect((await braintree.adapter.stageEvidence(first)).result).toBe('already_applied')
      expect(await contentsOf(braintree, reference), `cut off in call ${nth}`).toEqual(WHOLE)
    }
  })

  test('a document whose upload was cut off is uploaded again, and is attached once', async () => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await braintree.adapter.stageEvidence(first)
    const again = await packetOf(braintree, reference, first.texts)
    expect((await braintree.adapter.stageEvidence(again)).result).toBe('already_applied')
    expect(await contentsOf(braintree, reference)).toEqual(WHOLE)
  })

  test('the document of another packet of this chargeback is removed, whichever call failed', async () => {
    await using braintree = await simulated()
    for (const nth of [1, 2]) {
      const { reference } = await opened(braintree)
      const old = await packetOf(braintree, reference, {})
      await braintree.adapter.stageEvidence(old)
      const second = await packetOf(braintree, reference, { PURCHASER_NAME: 'Bela' }, { digest: SECOND })
      await refusal(breaking(braintree, nth, applied).stageEvidence(second))
      await braintree.adapter.stageEvidence(second)
      expect(await contentsOf(braintree, reference), `cut off in call ${nth}`).toEqual(['Bela', 'document'])
    }
  })
})

test('a duplicate text or document after a late response is removed', async () => {
  await using braintree = await simulated()
  const { reference, first } = await opened(braintree)
  await braintree.adapter.stageEvidence(first)
  const entries = await entriesOf(braintree, reference)
  await put(braintree, reference, [...entries, { ...entries[1], id: 'late' }, { ...entries[0], id: 'latedocument' }])
  await braintree.adapter.submitEvidence(first)
  expect(await contentsOf(braintree, reference)).toEqual(WHOLE)
})

test('the evidence for issuers does not identify us: no mark, no digest, no name', async () => {
  await using braintree = await simulated()
  const { reference, first } = await opened(braintree)
  await braintree.adapter.submitEvidence(first)
  const entries = await entriesOf(braintree, reference)
  expect(entries.map(({ comment }) => comment)).toEqual([null, 'It arrived.', 'Ada'])
  expect(JSON.stringify(entries)).not.toMatch(/recoup|package|d{64}/i)
  expect(entries[0].url).toMatch(/\/proof-[0-9a-f]{16}\.pdf$/)
})

describe('a part of our evidence that another person removed', () => {
  const withoutDocument = async (braintree: Simulated, reference: string) =>
    put(
      braintree,
      reference,
      (await entriesOf(braintree, reference)).filter(({ url }) => !url),
    )

  test('is attached again before the submission', async () => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await braintree.adapter.stageEvidence(first)
    await withoutDocument(braintree, reference)
    await braintree.adapter.submitEvidence(first)
    expect(await contentsOf(braintree, reference)).toEqual(WHOLE)
  })

  test('is no submission of ours if the dispute was finalized by hand', async () => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await braintree.adapter.stageEvidence(first)
    await withoutDocument(braintree, reference)
    await braintree.control('PATCH', `/disputes/${reference}`, { status: 'disputed' })
    const question = { kind: 'submission', reference, digest: FIRST, submissionsBefore: 0, sent: true } as const
    expect((await braintree.adapter.probe(question)).answer).toBe('impossible')
  })
})

describe('a submission that failed for good leaves none of our evidence', () => {
  test('after a refused finalize (95727) it is withdrawn, and the next packet is sent alone', async () => {
    await using braintree = await simulated()
    const { reference } = await opened(braintree)
    const texts = { PRIOR_NON_DISPUTED_TRANSACTION_ID: '1' }
    expect((await refusal(braintree.adapter.submitEvidence(await packetOf(braintree, reference, texts)))).kind).toBe(
      'invalid_request',
    )
    expect(await contentsOf(braintree, reference)).toEqual([])
    const second = await packetOf(braintree, reference, { PURCHASER_NAME: 'Bela' }, { digest: SECOND })
    expect((await braintree.adapter.submitEvidence(second)).result).toBe('applied')
    expect(await contentsOf(braintree, reference)).toEqual(['Bela', 'document'])
  })

  test('after a text was refused (95707) the document is withdrawn', async () => {
    await using braintree = await simulated()
    const { reference } = await opened(braintree)
    const packet = await packetOf(braintree, reference, { CREDIT_ISSUED_DATE_TIME: 'soon' })
    expect((await refusal(braintree.adapter.stageEvidence(packet))).kind).toBe('invalid_request')
    expect(await contentsOf(braintree, reference)).toEqual([])
  })

  test('a removal that is cut off is retried, and an entry that is already removed is no error', async () => {
    await using braintree = await simulated()
    const { reference } = await opened(braintree)
    const packet = await packetOf(braintree, reference, { PRIOR_NON_DISPUTED_TRANSACTION_ID: '1' })
    await braintree.control('POST', '/faults', { kind: 'reset_after_apply', count: 1, match: { method: 'DELETE' } })
    expect((await refusal(braintree.adapter.submitEvidence(packet))).kind).toBe('outcome_unknown')
    expect((await refusal(braintree.adapter.submitEvidence(packet))).kind).toBe('invalid_request')
    expect(await contentsOf(braintree, reference)).toEqual([])
  })
})

describe('a removal', () => {
  const replaced = async (braintree: Simulated) => {
    const { reference } = await opened(braintree)
    await braintree.adapter.stageEvidence(await packetOf(braintree, reference, {}))
    const second = await packetOf(braintree, reference, { PURCHASER_NAME: 'Bela' }, { digest: SECOND })
    return { reference, second }
  }

  test('succeeds if the response is one space, not if it is the page of a load balancer', async () => {
    await using braintree = await simulated()
    const { reference, second } = await replaced(braintree)
    await braintree.control('POST', '/faults', { kind: '200_html', count: 1, match: { method: 'DELETE' } })
    expect((await refusal(braintree.adapter.stageEvidence(second))).kind).toBe('outcome_unknown')
    await braintree.adapter.stageEvidence(second)
    expect(await contentsOf(braintree, reference)).toEqual(['Bela', 'document'])
  })

  test('succeeds also if the response is empty, which makes the SDK throw', async () => {
    await using braintree = await simulated()
    const { reference, second } = await replaced(braintree)
    await braintree.control('POST', '/faults', { kind: 'empty', count: 1, match: { method: 'DELETE' } })
    expect((await braintree.adapter.stageEvidence(second)).result).toBe('applied')
    expect(await contentsOf(braintree, reference)).toEqual(['Bela', 'document'])
  })

  test('succeeds if another client has removed the entry in the meantime', async () => {
    await using braintree = await simulated()
    const { reference, second } = await replaced(braintree)
    const twice: PspFetch = async (input, init) => {
      if (init?.method === 'DELETE') await pspFetch(input, init)
      return pspFetch(input, init)
    }
    await braintree.connect({ fetch: twice }).stageEvidence(second)
    expect(await contentsOf(braintree, reference)).toEqual(['Bela', 'document'])
  })
})
