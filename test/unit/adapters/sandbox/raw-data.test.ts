import { describe, expect, test } from 'vitest'
import { sandbox } from '../../../../adapters/sandbox/index.ts'
import { toChargeback } from '../../../../adapters/sandbox/translate.ts'
import { isNewer } from '../../../../domain/psp-facts.ts'
import { connectSandbox, memoryInbox, NOW, rawChargeback } from './connect.ts'

const DIGEST = 'a'.repeat(64)
/** The probe of a submission with `DIGEST`, after a call of ours that may have arrived. */
const questionAfter = (submissionsBefore: number) =>
  ({ kind: 'submission', reference: 'cb-1', digest: DIGEST, submissionsBefore, sent: true }) as const
const submission = { reference: 'cb-1', idempotencyKey: 's', digest: DIGEST, files: {}, texts: { explanation: 'sent' } }

function factsOf(text: string) {
  const translation = toChargeback({ reference: null, text })
  if (translation.kind === 'unmappable') throw new Error(translation.reason)
  return translation.facts
}

function opened() {
  const posted = memoryInbox()
  const adapter = connectSandbox({ inbox: posted.inbox })
  const read = async () => factsOf((await adapter.fetchDispute('cb-1')).text)
  const list = async (cursor = sandbox.cursor.initial(NOW)) => adapter.listDisputes({ cursor, oldestOpen: null })
  return { ...posted, adapter, read, list }
}

describe('raw data that a client posted', () => {
  test('is listed once, with the psp that it was posted for', async () => {
    const { post, list } = opened()
    post(rawChargeback(), '2026-06-01T10:00:00Z', 'worldpay')
    post(rawChargeback({ amount: 12 }), '2026-06-01T11:00:00Z', 'worldpay')
    const page = await list()
    expect(page.items.map((item) => item.reference)).toEqual(['cb-1'])
    expect(factsOf(page.items[0]?.text ?? '')).toMatchObject({ psp: 'worldpay', amountMinor: 1200n })
    expect((await list(page.cursor)).items).toEqual([])
  })

  test('is returned over pages without loss', async () => {
    const { post, list } = opened()
    for (let index = 0; index < 230; index++) post(rawChargeback({ chargebackId: `cb-${index}` }))
    const seen = new Set<string | null>()
    let cursor = sandbox.cursor.initial(NOW)
    for (let hasMore = true; hasMore; ) {
      const page = await list(cursor)
      for (const item of page.items) seen.add(item.reference)
      ;({ cursor, hasMore } = page)
    }
    expect(seen.size).toBe(230)
  })

  test('drives the life cycle by what was posted last', async () => {
    const { post, read } = opened()
    post(rawChargeback())
    const first = await read()
    post(rawChargeback({ pspStatus: 'won' }), '2026-06-01T11:00:00Z')
    const second = await read()
    expect(second.pspStatus).toBe('won')
    const order = (facts: typeof first) => ({ pspStatusChangeDate: null, pspSequence: facts.pspSequence })
    expect(isNewer(order(first), order(second))).toBe(true)
    expect(isNewer(order(second), order(first))).toBe(false)
  })

  test('with an older requestTimeStamp than the last applied is ignored', async () => {
    const { post, read } = opened()
    post(rawChargeback({ pspStatus: 'won' }), '2026-06-01T11:00:00Z')
    post(rawChargeback({ pspStatus: 'lost' }), '2026-06-01T10:59:59Z')
    expect((await read()).pspStatus).toBe('won')
  })

  test('that names no chargeback is quarantined', async () => {
    const { post, list } = opened()
    post({ amount: 1 })
    const { items } = await list()
    expect(items).toEqual([{ reference: null, text: '{"amount":1}' }])
  })

  test('is separate from notifications, which are only hints', async () => {
    const { inbox, post, list } = opened()
    post(rawChargeback())
    await inbox.note?.('sbx_1', JSON.stringify({ id: 'evt_1', type: 'chargeback.updated', chargebackId: 'sbx_1' }))
    expect((await list()).items.map((item) => item.reference)).toEqual(['cb-1'])
  })

  test('can not write the marks of the sandbox PSP', async () => {
    const { post, adapter } = opened()
    post(rawChargeback({ sandbox: { acceptedAt: '2026-01-01T00:00:00Z' } }))
    expect((await adapter.probe({ kind: 'acceptance', reference: 'cb-1' })).answer).toBe('not_done')
  })
})

describe('accepting and contesting posted raw data', () => {
  test('an acceptance is applied once: the chargeback is lost, and the probe returns done', async () => {
    const { post, adapter, read, rows } = opened()
    post(rawChargeback())
    expect(await adapter.acceptDispute({ reference: 'cb-1', idempotencyKey: 'a' })).toMatchObject({ result: 'applied' })
    const again = await adapter.acceptDispute({ reference: 'cb-1', idempotencyKey: 'b' })
    expect(again).toMatchObject({ result: 'already_applied' })
    expect(rows).toHaveLength(2)
    expect(await adapter.probe({ kind: 'acceptance', reference: 'cb-1' })).toMatchObject({ answer: 'done' })
    expect((await read()).pspStatus).toBe('lost')
  })

  test('an acceptance is newer than the posted data, even if the client’s clock is ahead', async () => {
    const { post, adapter, read } = opened()
    post(rawChargeback(), '2027-01-01T00:00:00Z')
    const before = (await read()).pspSequence ?? 0n
    await adapter.acceptDispute({ reference: 'cb-1', idempotencyKey: 'a' })
    expect((await read()).pspSequence).toBeGreaterThan(before)
  })

  test.each([
    ['in the past', '2026-03-10T00:00:00Z', '2026-03-20T00:00:00Z'],
    ['in the future', '2027-03-10T00:00:00Z', '2027-03-01T00:00:00Z'],
  ])('with status dates %s each step is newer than the one before', async (_, first, second) => {
    const { post, adapter, read } = opened()
    const order = async () => {
      const { pspStatus, pspStatusChangeDate: date, pspSequence } = await read()
      return { pspStatus, pspStatusChangeDate: date === null ? null : new Date(date), pspSequence }
    }
    post(rawChargeback({ pspStatusChangeDate: first }))
    const steps = [await order()]
    await adapter.acceptDispute({ reference: 'cb-1', idempotencyKey: 'a' })
    steps.push(await order())
    for (const [hour, changes] of [
      ['13', { pspStatus: 'won', pspStatusChangeDate: second }],
      ['14', { pspStatus: 'won', pspStatusChangeDate: first, amount: 7 }],
      ['15', { pspStatusChangeDate: second }],
    ] as const) {
      post(rawChargeback(changes), `2026-06-01T${hour}:00:00Z`)
      steps.push(await order())
    }
    expect(steps.map(({ pspStatus }) => pspStatus)).toEqual(['needs_response', 'lost', 'won', 'won', 'needs_response'])
    for (const [index, step] of steps.slice(1).entries()) {
      expect(isNewer(steps[index] as typeof step, step)).toBe(true)
      expect(isNewer(step, steps[index] as typeof step)).toBe(false)
    }
  })

  test('the same object posted again with the same time starts no new round', async () => {
    const { post, adapter, read } = opened()
    post(rawChargeback())
    await adapter.acceptDispute({ reference: 'cb-1', idempotencyKey: 'a' })
    post(rawChargeback())
    expect((await read()).pspStatus).toBe('lost')
    post(rawChargeback(), '2026-06-01T13:00:00Z')
    expect((await read()).pspStatus).toBe('needs_response')
  })

  test('an acceptance is listed, so that a poll sees it too', async () => {
    const { post, adapter, list } = opened()
    post(rawChargeback())
    const { cursor } = await list()
    await adapter.acceptDispute({ reference: 'cb-1', idempotencyKey: 'a' })
    expect((await list(cursor)).items.map((item) => item.reference)).toEqual(['cb-1'])
  })

  test('evidence is submitted once: the chargeback is under review, and the probe returns done', async () => {
    const { post, adapter, read } = opened()
    post(rawChargeback())
    expect(await adapter.describeEvidence('cb-1')).toMatchObject({ answerable: true })
    const file = { name: 'a.pdf', type: 'application/pdf', data: Buffer.from('%PDF-') }
    const { fileReference } = await adapter.uploadFile({ reference: 'cb-1', file, idempotencyKey: 'f' })
    const request = { ...submission, files: { receipt: fileReference } }
    expect(await adapter.submitEvidence(request)).toMatchObject({ result: 'applied' })
    expect(await adapter.submitEvidence({ ...request, sent: true })).toMatchObject({ result: 'already_applied' })
    const question = questionAfter(0)
    expect((await adapter.probe(question)).answer).toBe('done')
    expect((await read()).pspStatus).toBe('under_review')
  })

  test('with the reason two_documents_required nothing is sent without both documents', async () => {
    const { post, adapter } = opened()
    post(rawChargeback({ reason: 'two_documents_required' }))
    const requirements = await adapter.describeEvidence('cb-1')
    const [receipt, shipping] = ['receipt', 'shipping_documentation'].map((field) => ({
      ...{ fileId: field, name: 'a.pdf', type: 'application/pdf', bytes: 5, sha256: 'f'.repeat(64), field },
    }))
    if (!receipt || !shipping) throw new Error('there are two')
    const texts = { explanation: 'sent' }
    const one = sandbox.planSubmission?.(requirements, { files: [receipt], texts })
    expect(one?.steps).toEqual([])
    expect(one?.dropped).toEqual([
      { what: 'shipping_documentation', why: 'a document is required that is not there: shipping_documentation' },
      { what: 'receipt', why: 'nothing is sent while a document is missing' },
    ])
    const both = sandbox.planSubmission?.(requirements, { files: [receipt, shipping], texts })
    expect(both?.steps.map((step) => step.do)).toEqual(['upload', 'upload', 'submit'])
  })

  test('a submission that was stored twice counts once', async () => {
    const { post, inbox, adapter } = opened()
    post(rawChargeback())
    await adapter.submitEvidence(submission)
    const [, note] = await inbox.about('cb-1')
    await inbox.note?.('cb-1', note?.body ?? '')
    const question = questionAfter(1)
    expect((await adapter.probe(question)).answer).not.toBe('done')
  })

  test('a submission stays done after the client posts the outcome', async () => {
    const { post, adapter, read } = opened()
    post(rawChargeback())
    await adapter.submitEvidence(submission)
    post(rawChargeback({ pspStatus: 'won' }), '2026-06-01T13:00:00Z')
    const question = questionAfter(0)
    expect((await adapter.probe(question)).answer).toBe('done')
    expect((await read()).pspStatus).toBe('won')
  })

  test('a chargeback posted again as needs_response starts a new round', async () => {
    const { post, adapter } = opened()
    post(rawChargeback())
    await adapter.submitEvidence(submission)
    post(rawChargeback({ lifecycleStage: 'second_chargeback' }), '2026-06-01T13:00:00Z')
    const question = questionAfter(1)
    expect((await adapter.probe(question)).answer).toBe('not_done')
    expect((await adapter.submitEvidence(submission)).result).toBe('applied')
    expect((await adapter.probe(question)).answer).toBe('done')
  })

  test('evidence is refused if there is no due date, it has passed, or the chargeback is decided', async () => {
    const { post, adapter } = opened()
    for (const [changes, reason] of [
      [{ dueDate: undefined }, /no due date/],
      [{ dueDate: '2026-05-31T00:00:00Z' }, /due date has passed/],
      [{ pspStatus: 'won' }, /is won/],
      [{ lifecycleStage: 'alert' }, /alert/],
    ] as const) {
      const chargebackId = `cb-${reason.source.length}-${JSON.stringify(changes).length}`
      post(rawChargeback({ chargebackId, ...changes }))
      const requirements = await adapter.describeEvidence(chargebackId)
      expect(requirements).toMatchObject({ answerable: false, reason: expect.stringMatching(reason) })
      const sent = adapter.submitEvidence({ ...submission, reference: chargebackId })
      await expect(sent).rejects.toMatchObject({ kind: 'rejected_final' })
    }
  })

  test('an acceptance fails if the inbox can’t store it', async () => {
    const { inbox, post } = memoryInbox()
    post(rawChargeback())
    const adapter = connectSandbox({ inbox: { read: inbox.read, about: inbox.about, aboutAll: inbox.aboutAll } })
    const accepted = adapter.acceptDispute({ reference: 'cb-1', idempotencyKey: 'a' })
    await expect(accepted).rejects.toMatchObject({ kind: 'invalid_request' })
  })
})
