import { describe, expect, test } from 'vitest'
import { openingText, ownEntries } from '../../../../adapters/braintree/marks.ts'
import { type Anything, refusal, type Simulated, simulated } from './connect.ts'

const FIRST = 'd'.repeat(64)
const SECOND = 'e'.repeat(64)
const PDF = { name: 'proof.pdf', type: 'application/pdf', data: Buffer.from('%PDF-1.4\n') }
const OWN = { id: 'merchantsown', category: 'GENERAL', comment: 'By hand.', url: null, sentToProcessorAt: null }

/** An open dispute at which the merchant has put a text by hand, and a document of ours for it. */
async function opened(braintree: Simulated, evidence: object[] = [OWN]) {
  // Braintree knows days only: what is due in less than one may be over already.
  const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback', dueInHours: 200 })
  await braintree.control('PATCH', `/disputes/${reference}`, { fields: { evidence } })
  const { fileReference } = await braintree.adapter.uploadFile({ reference, file: PDF, idempotencyKey: 'k' })
  const files = { PROOF_OF_DELIVERY: fileReference }
  const first = { GENERAL: 'It was delivered.', PURCHASER_NAME: 'Ada' }
  const packet = (digest: string, texts: Record<string, string>) => ({
    ...{ reference, idempotencyKey: 'k', digest, files, texts },
  })
  return { reference, first: packet(FIRST, first), second: packet(SECOND, { PURCHASER_NAME: 'Bela' }) }
}

async function entriesOf(braintree: Simulated, reference: string): Promise<Anything[]> {
  return JSON.parse((await braintree.adapter.fetchDispute(reference)).text).evidence
}

/** What there is, in any order: the merchant's first text, documents, texts and marks by their beginning. */
async function contentsOf(braintree: Simulated, reference: string): Promise<string[]> {
  const entries = await entriesOf(braintree, reference)
  return entries.map(({ comment }) => comment?.slice(0, 20) ?? 'document').sort()
}

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

/** Calls that put the first packet there: opening, document, two texts, mark, and the opening is taken away. */
const CALLS = [1, 2, 3, 4, 5, 6]
const whole = (name: string, digest: string) => ['By hand.', 'document', name, `Evidence package ${digest.slice(0, 3)}`]

describe.each([true, false])('an attempt that was cut off, its last call applied: %s', (applied) => {
  test('the same packet is there once afterwards, wherever it was', async () => {
    await using braintree = await simulated()
    for (const nth of CALLS) {
      const { reference, first } = await opened(braintree)
      expect((await refusal(breaking(braintree, nth, applied).stageEvidence(first))).kind).toBe('outcome_unknown')
      await braintree.adapter.stageEvidence(first)
      expect((await braintree.adapter.stageEvidence(first)).result).toBe('already_applied')
      const expected = [...whole('Ada', FIRST), 'It was delivered.'].sort()
      expect(await contentsOf(braintree, reference), `cut off in call ${nth}`).toEqual(expected)
    }
  })

  test('another packet of ours takes its place, texts too, wherever it was', async () => {
    await using braintree = await simulated()
    for (const nth of CALLS) {
      const { reference, first, second } = await opened(braintree)
      await refusal(breaking(braintree, nth, applied).stageEvidence(first))
      await braintree.adapter.stageEvidence(second)
      expect(await contentsOf(braintree, reference), `cut off in call ${nth}`).toEqual(whole('Bela', SECOND).sort())
    }
  })

  test('while another packet was taken away', async () => {
    await using braintree = await simulated()
    for (const nth of [1, 2, 3, 4]) {
      const { reference, first, second } = await opened(braintree)
      await braintree.adapter.stageEvidence(first)
      await refusal(breaking(braintree, nth, applied).stageEvidence(second))
      await braintree.adapter.stageEvidence(second)
      expect(await contentsOf(braintree, reference), `cut off in call ${nth}`).toEqual(whole('Bela', SECOND).sort())
    }
  })
})

describe('what the merchant put there', () => {
  test('a text with the very words of ours is not put twice, and stays when another packet comes', async () => {
    await using braintree = await simulated()
    const { reference, first, second } = await opened(braintree, [{ ...OWN, comment: 'It was delivered.' }])
    await braintree.adapter.stageEvidence(first)
    const words = (await contentsOf(braintree, reference)).filter((text) => text === 'It was delivered.')
    expect(words).toHaveLength(1)
    await braintree.adapter.stageEvidence(second)
    expect((await entriesOf(braintree, reference))[0]).toMatchObject({ id: 'merchantsown' })
  })

  test('an entry of ours that somebody took away in the meantime is gone, no failure', async () => {
    await using braintree = await simulated()
    const { reference, first, second } = await opened(braintree)
    await braintree.adapter.stageEvidence(first)
    const twice: typeof fetch = async (input, init) => {
      if (init?.method === 'DELETE') await fetch(input, init)
      return fetch(input, init)
    }
    await braintree.connect({ fetch: twice }).stageEvidence(second)
    expect(await contentsOf(braintree, reference)).toEqual(whole('Bela', SECOND).sort())
  })
})

describe('a part of ours that somebody took away, its mark left', () => {
  const withoutDocument = async (braintree: Simulated, reference: string) => {
    const evidence = (await entriesOf(braintree, reference)).filter(({ url }) => !url)
    await braintree.control('PATCH', `/disputes/${reference}`, { fields: { evidence } })
  }

  test('is put there again before it goes out', async () => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await braintree.adapter.stageEvidence(first)
    await withoutDocument(braintree, reference)
    await braintree.adapter.submitEvidence(first)
    expect(await contentsOf(braintree, reference)).toEqual([...whole('Ada', FIRST), 'It was delivered.'].sort())
  })

  test('is no submission of ours when it was finalized by hand', async () => {
    await using braintree = await simulated()
    const { reference, first } = await opened(braintree)
    await braintree.adapter.stageEvidence(first)
    await withoutDocument(braintree, reference)
    await braintree.control('PATCH', `/disputes/${reference}`, { status: 'disputed' })
    const question = { kind: 'submission', reference, digest: FIRST, submissionsBefore: 0 } as const
    expect((await braintree.adapter.probe?.(question))?.answer).toBe('impossible')
  })
})

test('a removal is done when it is answered with one space, not by the page of a balancer', async () => {
  await using braintree = await simulated()
  const { reference, first, second } = await opened(braintree)
  await braintree.adapter.stageEvidence(first)
  await braintree.control('POST', '/faults', { kind: '200_html', count: 1, match: { method: 'DELETE' } })
  expect((await refusal(braintree.adapter.stageEvidence(second))).kind).toBe('outcome_unknown')
  await braintree.adapter.stageEvidence(second)
  expect(await contentsOf(braintree, reference)).toEqual(whole('Bela', SECOND).sort())
})

test('a removal is done, too, when it is answered with nothing, where the SDK crashes', async () => {
  await using braintree = await simulated()
  const { reference, first, second } = await opened(braintree)
  await braintree.adapter.stageEvidence(first)
  await braintree.control('POST', '/faults', { kind: 'empty', count: 1, match: { method: 'DELETE' } })
  expect((await braintree.adapter.stageEvidence(second)).result).toBe('applied')
  expect(await contentsOf(braintree, reference)).toEqual(whole('Bela', SECOND).sort())
})

test('a text that went to GENERAL because its category was refused is known again by its opening', () => {
  const entry = (id: string, comment: string) => ({ ...OWN, id, comment })
  const opening = entry('o', openingText(FIRST, [['TRACKING_NUMBER', '1Z\n2']]))
  // Line ends may become others on their way.
  const exchanged = entry('x', 'TRACKING_NUMBER: 1Z\r\n2 ')
  const foreign = entry('f', 'TRACKING_NUMBER: 1Z')
  expect(ownEntries([opening, exchanged, foreign])).toEqual(['x', 'o'])
  expect(ownEntries([exchanged, foreign])).toEqual([])
})
