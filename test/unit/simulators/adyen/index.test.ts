import { describe, expect, test } from 'vitest'
import { adyenSimulator, SERVICE } from '../../../../simulators/adyen/index.ts'
import { BASIC_USER, DEMO_ACCOUNT, DEMO_KEY } from '../../../../simulators/adyen/keys.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { call, control, create } from '../../adapters/adyen/at-simulator.ts'

const pdf = (content = '%PDF-1.4') => ({
  content: Buffer.from(content).toString('base64'),
  contentType: 'application/pdf',
  defenseDocumentTypeCode: 'DefenseMaterial',
})
const success = { status: 200, body: { disputeServiceResult: { success: true } } }
const declined = { status: 200, body: { disputeServiceResult: { success: false } } }

describe('authentication and validation', () => {
  test('accepts an API key or Basic, and nothing else', async () => {
    await using running = await startSimulator(adyenSimulator)
    const disputePspReference = await create(running)
    const basic = `Basic ${Buffer.from(`${BASIC_USER}:${DEMO_KEY}`).toString('base64')}`
    expect(await call(running, 'acceptDispute', { disputePspReference }, { 'x-api-key': 'other' })).toMatchObject({
      status: 401,
      body: { errorCode: '000' },
    })
    const response = await fetch(`${running.url}${SERVICE}/acceptDispute`, {
      method: 'POST',
      headers: { authorization: basic, 'content-type': 'application/json' },
      body: JSON.stringify({ merchantAccountCode: DEMO_ACCOUNT, disputePspReference }),
    })
    expect(response.status).toBe(200)
  })

  test.each([
    ['no JSON', 'nonsense', {}, 400],
    ['another content type', '{}', { 'content-type': 'text/plain' }, 415],
    ['a missing field', {}, {}, 422],
    ['a number for a text', { disputePspReference: 1 }, {}, 422],
    ['a key that is too long', { disputePspReference: 'A' }, { 'idempotency-key': 'k'.repeat(65) }, 422],
  ])('refuses %s', async (_, body, headers, status) => {
    await using running = await startSimulator(adyenSimulator)
    expect((await call(running, 'defendDispute', body, headers as Record<string, string>)).status).toBe(status)
  })

  test('returns 403 for an unknown merchant account, and does not create it', async () => {
    await using running = await startSimulator(adyenSimulator)
    const disputePspReference = await create(running)
    const request = { merchantAccountCode: 'SomebodyElseECOM', disputePspReference }
    for (const operation of ['retrieveApplicableDefenseReasons', 'acceptDispute', 'retrieveApplicableDefenseReasons']) {
      expect(await call(running, operation, request)).toMatchObject({ status: 403, body: { errorCode: '010' } })
    }
    await control(running, 'POST', '/accounts', { account: 'SomebodyElseECOM' })
    expect(await call(running, 'acceptDispute', request)).toMatchObject(declined)
  })

  test('a key that was moved to another merchant account has access only to that account', async () => {
    await using running = await startSimulator(adyenSimulator)
    const disputePspReference = await create(running)
    await control(running, 'POST', '/accounts/OtherECOM/keys', { key: DEMO_KEY })
    expect(await call(running, 'acceptDispute', { disputePspReference })).toMatchObject({ status: 403 })
    const theirs = { merchantAccountCode: 'OtherECOM', disputePspReference }
    expect(await call(running, 'acceptDispute', theirs)).toMatchObject(declined)
    await control(running, 'DELETE', `/accounts/OtherECOM/keys/${DEMO_KEY}`)
    expect(await call(running, 'acceptDispute', theirs)).toMatchObject({ status: 401 })
  })

  test('returns 404 for an unknown operation, and a refusal for an unknown dispute', async () => {
    await using running = await startSimulator(adyenSimulator)
    expect((await call(running, 'listDisputes', {})).status).toBe(404)
    expect(await call(running, 'acceptDispute', { disputePspReference: 'UNKNOWN' })).toMatchObject(declined)
  })
})

describe('idempotency', () => {
  test('repeats the first response to a key, also in another operation', async () => {
    await using running = await startSimulator(adyenSimulator)
    const disputePspReference = await create(running)
    const headers = { 'idempotency-key': 'one' }
    expect(await call(running, 'acceptDispute', { disputePspReference }, headers)).toMatchObject(success)
    expect(await call(running, 'acceptDispute', { disputePspReference }, headers)).toMatchObject(success)
    expect(
      await call(running, 'defendDispute', { disputePspReference, defenseReasonCode: 'X' }, headers),
    ).toMatchObject(success)
    expect(await call(running, 'acceptDispute', { disputePspReference }, { 'idempotency-key': 'two' })).toMatchObject(
      declined,
    )
    expect(running.engine.ledger.effects).toHaveLength(1)
  })

  test('returns error 704 while the first call is running', async () => {
    await using running = await startSimulator(adyenSimulator)
    const disputePspReference = await create(running)
    const { id } = await control<{ id: string }>(running, 'POST', '/holds', { match: { path: '/acceptDispute' } })
    const headers = { 'idempotency-key': 'one' }
    const first = call(running, 'acceptDispute', { disputePspReference }, headers)
    await expect.poll(() => running.engine.answers.inFlight.size).toBe(1)
    expect(await call(running, 'acceptDispute', { disputePspReference }, headers)).toMatchObject({
      status: 409,
      body: { errorCode: '704' },
    })
    await control(running, 'DELETE', `/holds/${id}`)
    expect(await first).toMatchObject(success)
  })
})

describe('a defence', () => {
  test('is accepted once, with the document that it needs', async () => {
    await using running = await startSimulator(adyenSimulator)
    const disputePspReference = await create(running)
    const defend = { disputePspReference, defenseReasonCode: 'SupplyDefenseMaterial' }
    expect(await call(running, 'defendDispute', defend)).toMatchObject(declined)
    expect(
      await call(running, 'supplyDefenseDocument', { disputePspReference, defenseDocuments: [pdf()] }),
    ).toMatchObject(success)
    const { body } = await call(running, 'retrieveApplicableDefenseReasons', { disputePspReference })
    const reasons = body.defenseReasons as { defenseReasonCode: string; satisfied: boolean }[]
    expect(reasons.find((reason) => reason.defenseReasonCode === 'SupplyDefenseMaterial')?.satisfied).toBe(true)
    expect(await call(running, 'defendDispute', { ...defend, defenseReasonCode: 'NoSuchReason' })).toMatchObject(
      declined,
    )
    expect(await call(running, 'defendDispute', defend)).toMatchObject(success)
    expect(await call(running, 'defendDispute', defend)).toMatchObject(declined)
    const after = await call(running, 'retrieveApplicableDefenseReasons', { disputePspReference })
    expect(after.body.defenseReasons).toEqual([])
  })

  test('can have its document deleted before it is sent', async () => {
    await using running = await startSimulator(adyenSimulator)
    const disputePspReference = await create(running)
    await call(running, 'supplyDefenseDocument', { disputePspReference, defenseDocuments: [pdf()] })
    const remove = { disputePspReference, defenseDocumentType: 'DefenseMaterial' }
    expect(await call(running, 'deleteDisputeDefenseDocument', remove)).toMatchObject(success)
    expect(await call(running, 'deleteDisputeDefenseDocument', remove)).toMatchObject(declined)
    expect(
      await call(running, 'defendDispute', { disputePspReference, defenseReasonCode: 'SupplyDefenseMaterial' }),
    ).toMatchObject(declined)
  })

  test('is refused after the due date', async () => {
    await using running = await startSimulator(adyenSimulator)
    const disputePspReference = await create(running)
    await call(running, 'supplyDefenseDocument', { disputePspReference, defenseDocuments: [pdf()] })
    await control(running, 'POST', '/clock', { seconds: 49 * 3600 })
    expect(
      await call(running, 'defendDispute', { disputePspReference, defenseReasonCode: 'SupplyDefenseMaterial' }),
    ).toMatchObject(declined)
  })

  test.each([
    ['a PNG', { ...pdf(), contentType: 'image/png' }, 200],
    ['a PDF of more than 2 MB', pdf(`%PDF-${'x'.repeat(2 * 1024 * 1024)}`), 200],
    ['content that is not a PDF', pdf('nonsense'), 200],
    ['an unknown document type', { ...pdf(), defenseDocumentTypeCode: 'Hologram' }, 200],
    ['URL-safe base64', { ...pdf(), content: 'Jf-_Pg==' }, 422],
    ['a document without a type', { ...pdf(), defenseDocumentTypeCode: undefined }, 422],
  ])('refuses %s', async (_, document, status) => {
    await using running = await startSimulator(adyenSimulator)
    const disputePspReference = await create(running)
    const response = await call(running, 'supplyDefenseDocument', { disputePspReference, defenseDocuments: [document] })
    expect(response.status).toBe(status)
    expect(response.body.disputeServiceResult?.success ?? false).toBe(false)
    expect(running.engine.ledger.effects).toEqual([])
  })
})

describe('an acceptance', () => {
  test.each([{ status: 'won' }, { status: 'under_review' }, { stage: 'inquiry' }])(
    'is refused for %j',
    async (order) => {
      await using running = await startSimulator(adyenSimulator)
      const { reason: _, ...plain } = { reason: '', ...order }
      const disputePspReference = await create(running, {
        ...plain,
        ...(order.stage === 'inquiry' && { reason: '33' }),
      })
      expect(await call(running, 'acceptDispute', { disputePspReference })).toMatchObject(declined)
    },
  )
})
