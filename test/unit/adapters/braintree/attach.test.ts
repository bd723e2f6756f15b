import { describe, expect, test } from 'vitest'
import { type Anything, refusal, type Simulated, simulated } from './connect.ts'

const FIRST = 'd'.repeat(64)
const SECOND = 'e'.repeat(64)
const OWNER = 'chargeback-of-ours'
const FILE = { name: 'proof.pdf', type: 'application/pdf', data: Buffer.from('%PDF-1.4\n') }
const BY_HAND = { id: 'byhand', category: 'GENERAL', comment: 'By hand.', url: null, sentToProcessorAt: null }

/** A packet with its document uploaded, as the engine brings it. */
async function packetOf(
  braintree: Simulated,
  reference: string,
  texts: Record<string, string>,
  { digest = FIRST, owner = OWNER }: { digest?: string; owner?: string } = {},
) {
  const upload = { reference, file: FILE, idempotencyKey: 'k', digest, owner }
  const { fileReference } = await braintree.adapter.uploadFile(upload)
  return { reference, idempotencyKey: 'k', digest, owner, files: { PROOF_OF_DELIVERY: fileReference }, texts }
}

async function opened(braintree: Simulated) {
  const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback', dueInHours: 200 })
  return { reference, first: await packetOf(braintree, reference, { GENERAL: 'It arrived.', PURCHASER_NAME: 'Ada' }) }
}

async function entriesOf(braintree: Simulated, reference: string): Promise<Anything[]> {
  return JSON.parse((await braintree.adapter.fetchDispute(reference)).text).evidence
}

const contentsOf = async (braintree: Simulated, reference: string): Promise<string[]> =>
  (await entriesOf(braintree, reference)).map(({ comment }) => comment ?? 'document').sort()

const put = (braintree: Simulated, reference: string, evidence: object[]) =>
  braintree.control('PATCH', `/disputes/${reference}`, { fields: { evidence } })

/** The adapter with a connection that breaks with the nth call that changes evidence, before or after it was applied. */
function breaking(braintree: Simulated, nth: number, applied: boolean) {
  let calls = 0
  const broken: typeof fetch = async (input, init) => {
    const changes = /\/evidence(\/\w+)?$/.test(String(input))
    if (!changes || ++calls !== nth) return fetch(input, init)
    if (applied) await fetch(input, init)
    throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })
  }
  return braintree.connect({ fetch: broken })
}

const finalized = (braintree: Simulated) => braintree.calls().filter((call) => call.endsWith('/finalize')).length
const WHOLE = ['Ada', 'It arrived.', 'document']

describe.each([true, false])('an attempt that was cut off, its last call applied: %s', (applied) => {
  test('the same packet is there once afterwards, wherever it was', async () => {
    await using braintree = await simulated()
    // Document and two texts.
    for (const nth of [1, 2, 3]) {
      const { reference, first } = await opened(braintree)
      expect((await refusal(breaking(braintree, nth, applied).stageEvidence(first))).kind).toBe('outcome_unknown')
      await braintree.adapter.stageEvidence(first)
      expect((await braintree.adapter.stageEvidence(first)).result).toBe('already_applied')
      expect(await contentsOf(braintree, reference), `cut off in call ${nth}`).toEqual(WHOLE)
    }
  })

  test('a document whose upload was cut off is uploaded again, and stands there once', async () => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await braintree.adapter.stageEvidence(first)
    const again = await packetOf(braintree, reference, first.texts)
    expect((await braintree.adapter.stageEvidence(again)).result).toBe('already_applied')
    expect(await contentsOf(braintree, reference)).toEqual(WHOLE)
  })

  test('the document of another packet of this chargeback is taken away, wherever that was cut off', async () => {
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

test('an answer that came late leaves a text twice: one of them is taken away', async () => {
  await using braintree = await simulated()
  const { reference, first } = await opened(braintree)
  await braintree.adapter.stageEvidence(first)
  const entries = await entriesOf(braintree, reference)
  await put(braintree, reference, [...entries, { ...entries[1], id: 'late' }, { ...entries[0], id: 'latedocument' }])
  await braintree.adapter.submitEvidence(first)
  expect(await contentsOf(braintree, reference)).toEqual(WHOLE)
})

test('nothing in what issuers read says whose it is: no mark, no digest, no name of ours', async () => {
  await using braintree = await simulated()
  const { reference, first } = await opened(braintree)
  await braintree.adapter.submitEvidence(first)
  const entries = await entriesOf(braintree, reference)
  expect(entries.map(({ comment }) => comment)).toEqual([null, 'It arrived.', 'Ada'])
  expect(JSON.stringify(entries)).not.toMatch(/recoup|package|d{64}/i)
  expect(entries[0].url).toMatch(/\/proof-[0-9a-f]{16}\.pdf$/)
})

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

describe('a part of ours that somebody took away', () => {
  const withoutDocument = async (braintree: Simulated, reference: string) =>
    put(
      braintree,
      reference,
      (await entriesOf(braintree, reference)).filter(({ url }) => !url),
    )

  test('is put there again before it goes out', async () => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await braintree.adapter.stageEvidence(first)
    await withoutDocument(braintree, reference)
    await braintree.adapter.submitEvidence(first)
    expect(await contentsOf(braintree, reference)).toEqual(WHOLE)
  })

  test('is no submission of ours when it was finalized by hand', async () => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await braintree.adapter.stageEvidence(first)
    await withoutDocument(braintree, reference)
    await braintree.control('PATCH', `/disputes/${reference}`, { status: 'disputed' })
    const question = { kind: 'submission', reference, digest: FIRST, submissionsBefore: 0, sent: true } as const
    expect((await braintree.adapter.probe(question)).answer).toBe('impossible')
  })
})

describe('what fails for good leaves nothing of ours', () => {
  test('finalize refused (95727): withdrawn, and the next packet goes out alone', async () => {
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

  test('a text refused (95707) after the document: withdrawn', async () => {
    await using braintree = await simulated()
    const { reference } = await opened(braintree)
    const packet = await packetOf(braintree, reference, { CREDIT_ISSUED_DATE_TIME: 'soon' })
    expect((await refusal(braintree.adapter.stageEvidence(packet))).kind).toBe('invalid_request')
    expect(await contentsOf(braintree, reference)).toEqual([])
  })

  test('a removal that is cut off is tried again; gone is gone', async () => {
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

  test('is done when it is answered with one space, not by the page of a balancer', async () => {
    await using braintree = await simulated()
    const { reference, second } = await replaced(braintree)
    await braintree.control('POST', '/faults', { kind: '200_html', count: 1, match: { method: 'DELETE' } })
    expect((await refusal(braintree.adapter.stageEvidence(second))).kind).toBe('outcome_unknown')
    await braintree.adapter.stageEvidence(second)
    expect(await contentsOf(braintree, reference)).toEqual(['Bela', 'document'])
  })

  test('is done, too, when it is answered with nothing, where the SDK crashes', async () => {
    await using braintree = await simulated()
    const { reference, second } = await replaced(braintree)
    await braintree.control('POST', '/faults', { kind: 'empty', count: 1, match: { method: 'DELETE' } })
    expect((await braintree.adapter.stageEvidence(second)).result).toBe('applied')
    expect(await contentsOf(braintree, reference)).toEqual(['Bela', 'document'])
  })

  test('of what somebody took away in the meantime is no failure', async () => {
    await using braintree = await simulated()
    const { reference, second } = await replaced(braintree)
    const twice: typeof fetch = async (input, init) => {
      if (init?.method === 'DELETE') await fetch(input, init)
      return fetch(input, init)
    }
    await braintree.connect({ fetch: twice }).stageEvidence(second)
    expect(await contentsOf(braintree, reference)).toEqual(['Bela', 'document'])
  })
})
