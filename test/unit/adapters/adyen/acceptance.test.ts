import { describe, expect, test } from 'vitest'
import { adyen } from '../../../../adapters/adyen/index.ts'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { adyenSimulator } from '../../../../simulators/adyen/index.ts'
import { DEMO_ACCOUNT, DEMO_KEY, HMAC_KEY } from '../../../../simulators/adyen/keys.ts'
import { type RunningSimulator, startSimulator } from '../../../../simulators/engine/serve.ts'
import { sendJson, startLoopback } from '../loopback.ts'
import { connectAdyen, DISPUTE, delivery, type Item, inboxOf, item, NOW, opened } from './adyen.ts'
import { call, control, create } from './at-simulator.ts'

describe('whether a dispute was accepted', () => {
  const mark = JSON.stringify({
    recoup: 'acceptance',
    disputePspReference: DISPUTE,
    digest: null,
    at: NOW.toISOString(),
  })
  const probe = async (items: Item[], noted = false, sent = noted) => {
    const inbox = inboxOf(items.map((one) => delivery([one])))
    if (noted) await inbox.note?.(DISPUTE, mark)
    return (await connectAdyen({ inbox }).probe({ kind: 'acceptance', reference: DISPUTE, sent })).answer
  }
  const reported = (code: string, disputeStatus?: string) => item(code, 9, {}, disputeStatus ? { disputeStatus } : {})

  test.each<[string, Item[], boolean, string]>([
    ['nothing was reported and nothing was sent', [], false, 'not_done'],
    ['Adyen accepted the call and reported nothing', [], true, 'unknown'],
    ['it is Accepted', [reported('DISPUTE_DEFENSE_PERIOD_ENDED', 'Accepted')], false, 'done'],
    ['it is Lost', [reported('DISPUTE_DEFENSE_PERIOD_ENDED', 'Lost')], false, 'impossible'],
    ['Adyen accepted the call and it is Lost', [reported('DISPUTE_DEFENSE_PERIOD_ENDED', 'Lost')], true, 'done'],
    ['it is Undefended', [reported('DISPUTE_DEFENSE_PERIOD_ENDED', 'Undefended')], false, 'impossible'],
    ['it was Accepted in a pre-arbitration', [reported('PREARBITRATION_ACCEPTED')], false, 'done'],
    [
      'it was Accepted, reopened and lost',
      [
        reported('DISPUTE_DEFENSE_PERIOD_ENDED', 'Accepted'),
        item('PREARBITRATION_OPEN', 10, {}, { defendable: 'true' }),
        item('PREARBITRATION_LOST', 11),
      ],
      false,
      'impossible',
    ],
    ['it is Won', [reported('CHARGEBACK_REVERSED', 'Won')], false, 'impossible'],
    // The probe does not name the round that the acceptance was for.
    [
      'it was Accepted, reopened and won',
      [
        reported('DISPUTE_DEFENSE_PERIOD_ENDED', 'Accepted'),
        item('PREARBITRATION_OPEN', 10, {}, { defendable: 'true' }),
        item('PREARBITRATION_WON', 11),
      ],
      false,
      'unknown',
    ],
    ['Adyen accepted the call and it is Won', [reported('CHARGEBACK_REVERSED', 'Won')], true, 'unknown'],
    ['it was defended already', [reported('INFORMATION_SUPPLIED', 'Pending')], false, 'impossible'],
    ['it has an unknown status', [reported('CHARGEBACK', 'Mediated')], false, 'unknown'],
  ])('%s', async (_, items, noted, answer) => {
    expect(await probe([opened(), ...items], noted)).toBe(answer)
  })

  test.each<[string, Item[], string]>([
    ['it is Accepted', [reported('DISPUTE_DEFENSE_PERIOD_ENDED', 'Accepted')], 'done'],
    ['it is Lost, maybe by that call', [reported('DISPUTE_DEFENSE_PERIOD_ENDED', 'Lost')], 'unknown'],
    ['it was won in a later stage, maybe after that call', [reported('PREARBITRATION_WON')], 'unknown'],
    ['it is Won in the same stage', [reported('CHARGEBACK_REVERSED', 'Won')], 'impossible'],
  ])('the response to our call was lost: %s', async (_, items, answer) => {
    expect(await probe([opened(), ...items], false, true)).toBe(answer)
  })

  test('a dispute that was decided before is rejected_final, and Adyen is not called', async () => {
    await using psp = await startLoopback((_request, response) => sendJson(response, 200, {}))
    const inbox = inboxOf([delivery([opened()]), delivery([reported('DISPUTE_DEFENSE_PERIOD_ENDED', 'Lost')])])
    const accept = connectAdyen({ baseUrl: psp.url, inbox }).acceptDispute({ reference: DISPUTE, idempotencyKey: 'k' })
    await expect(accept).rejects.toMatchObject({ kind: 'rejected_final', message: expect.stringContaining('before') })
    expect(psp.seen).toEqual([])
  })
})

describe('whether a stale dispute can still be contested', () => {
  const reasons = (...defenseReasons: object[]) => ({ defenseReasons, disputeServiceResult: { success: true } })
  test.each([
    ['it has defence reasons', 200, reasons({ defenseReasonCode: 'A', defenseDocumentTypes: [] }), true],
    ['it has no defence reasons', 200, reasons(), false],
    ['the request failed', 200, { disputeServiceResult: { success: false } }, false],
    ['the dispute is unknown', 422, { errorCode: '702' }, false],
  ])('Adyen says that %s', async (_, status, body, answerable) => {
    await using psp = await startLoopback((_request, response) => sendJson(response, status, body))
    expect(await connectAdyen({ baseUrl: psp.url }).checkAnswerable(DISPUTE)).toEqual({ answerable })
  })

  test('is an error if Adyen is unavailable', async () => {
    await using psp = await startLoopback((_request, response) => sendJson(response, 503, ''))
    await expect(connectAdyen({ baseUrl: psp.url }).checkAnswerable(DISPUTE)).rejects.toMatchObject({
      kind: 'unavailable',
    })
  })
})

describe('at an Adyen that ignores the idempotency key', () => {
  /** The simulator, which never sees a key. */
  async function fixture(running: RunningSimulator) {
    const reference = await create(running)
    const keyless: PspFetch = (input, init) => {
      const { 'Idempotency-Key': _, ...headers } = init?.headers ?? {}
      return pspFetch(input, { ...init, headers })
    }
    const inbox = inboxOf([])
    const notify = (one: Item) =>
      inbox.rows.push({
        position: String(inbox.rows.length + 1).padStart(6, '0'),
        receivedAt: NOW,
        body: delivery([{ ...one, pspReference: reference, merchantAccountCode: DEMO_ACCOUNT }]),
        references: [reference],
      })
    notify(opened())
    const adapter = connectAdyen({
      baseUrl: running.url,
      fetch: keyless,
      secret: { hmac: HMAC_KEY, apiKey: DEMO_KEY },
      externalIdentifier: DEMO_ACCOUNT,
      inbox,
    })
    return { reference, adapter, notify, effects: () => running.engine.ledger.effects.map(({ kind }) => kind) }
  }

  test('an acceptance whose response was lost is applied once, and the retry waits for the notification', async () => {
    expect(adyen.capabilities.accept).toMatchObject({ idempotent: false })
    await using running = await startSimulator(adyenSimulator)
    const { reference, adapter, notify, effects } = await fixture(running)
    const request = { reference, idempotencyKey: 'accept:1' }
    await control(running, 'POST', '/faults', { kind: 'reset_after_apply', match: { path: '/acceptDispute' } })
    await expect(adapter.acceptDispute(request)).rejects.toMatchObject({ kind: 'outcome_unknown' })
    expect((await adapter.probe({ kind: 'acceptance', reference })).answer).toBe('not_done')
    await expect(adapter.acceptDispute(request)).rejects.toMatchObject({ kind: 'outcome_unknown' })
    expect(effects()).toEqual(['acceptance'])
    notify(item('DISPUTE_DEFENSE_PERIOD_ENDED', 5, {}, { disputeStatus: 'Accepted' }))
    expect(await adapter.acceptDispute(request)).toMatchObject({ result: 'already_applied' })
    expect(effects()).toEqual(['acceptance'])
  })

  test('a defence whose response was lost is sent once', async () => {
    await using running = await startSimulator(adyenSimulator)
    const { reference, adapter, notify, effects } = await fixture(running)
    const content = { name: 'a.pdf', type: 'application/pdf', data: Buffer.from('%PDF-1.4') }
    const documents = { 'SupplyDefenseMaterial/DefenseMaterial': content }
    const request = { reference, idempotencyKey: 'evidence:1', digest: 'd', files: {}, texts: {}, documents }
    await adapter.stageEvidence(request)
    await control(running, 'POST', '/faults', { kind: 'reset_after_apply', match: { path: '/defendDispute' } })
    await expect(adapter.submitEvidence(request)).rejects.toMatchObject({ kind: 'outcome_unknown' })
    await expect(adapter.submitEvidence(request)).rejects.toMatchObject({ kind: 'outcome_unknown' })
    notify(item('INFORMATION_SUPPLIED', 5, {}, { disputeStatus: 'Pending' }))
    expect(await adapter.submitEvidence({ ...request, sent: true })).toMatchObject({ result: 'already_applied' })
    expect(effects()).toEqual(['upload', 'submission'])
  })

  test('a request that Adyen refuses as invalid changes nothing', async () => {
    await using running = await startSimulator(adyenSimulator)
    const { reference, adapter, effects } = await fixture(running)
    await control(running, 'POST', '/faults', { kind: '422', match: { path: '/acceptDispute' } })
    const request = { reference, idempotencyKey: 'accept:1' }
    await expect(adapter.acceptDispute(request)).rejects.toMatchObject({ kind: 'invalid_request' })
    expect(effects()).toEqual([])
    expect(await adapter.acceptDispute(request)).toMatchObject({ result: 'pending' })
  })

  test('a document that is supplied again replaces the one of the same type', async () => {
    await using running = await startSimulator(adyenSimulator)
    const { reference, adapter } = await fixture(running)
    const request = (digest: string, text: string) => ({
      ...{ reference, idempotencyKey: digest, digest, files: {}, texts: {} },
      documents: {
        'SupplyDefenseMaterial/DefenseMaterial': {
          name: 'a.pdf',
          type: 'application/pdf',
          data: Buffer.from(`%PDF-${text}`),
        },
      },
    })
    await adapter.stageEvidence(request('d1', 'one'))
    await adapter.stageEvidence(request('d2', 'two'))
    const { object } = await control<{ object: { simulated: { documents: Record<string, string> } } }>(
      running,
      'GET',
      `/disputes/${reference}`,
    )
    const { documents } = object.simulated
    expect(Object.keys(documents)).toEqual(['DefenseMaterial'])
    const content = await fetch(`${running.controlUrl}/files/${documents.DefenseMaterial}/content`)
    expect(await content.text()).toBe('%PDF-two')
    expect(
      (
        await call(running, 'defendDispute', {
          disputePspReference: reference,
          defenseReasonCode: 'SupplyDefenseMaterial',
        })
      ).status,
    ).toBe(200)
  })
})
