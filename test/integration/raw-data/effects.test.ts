import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adyenSimulator } from '../../../simulators/adyen/index.ts'
import { item, opened } from '../../unit/adapters/adyen/adyen.ts'
import { sampleDispute } from '../../unit/adapters/loopback.ts'
import { createSandbox, recoupShape, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox()
})
afterAll(() => sandbox[Symbol.asyncDispose]())

describe('posted chargebacks', () => {
  test('in the Recoup shape are listed, with the dataSource as psp', async () => {
    const ingestion = await sandbox.upload(recoupShape({ chargebackId: 'cb-shape' }), { dataSource: 'worldpay' })
    expect(ingestion).toMatchObject({ status: 'applied', dataType: 'chargebacks', rawDataId: 'cb-shape' })
    expect(await sandbox.chargeback('cb-shape')).toMatchObject({
      psp: 'worldpay',
      amount: 10.99,
      currency: 'EUR',
      pspStatus: 'needs_response',
      status: 'waiting_for_data',
      integrationId: sandbox.home,
      transactionId: 'tx-1',
    })
  })

  test('posted again with another status change, and the timeline shows it', async () => {
    const post = (pspStatus: string, minute: number, change = {}) =>
      sandbox.upload(recoupShape({ chargebackId: 'cb-life', pspStatus, ...change }), {
        requestTimeStamp: `2026-06-01T10:${minute}:00Z`,
      })
    const seen: string[] = []
    for (const [pspStatus, minute] of [
      ['needs_response', 10],
      ['under_review', 11],
      ['lost', 12],
    ] as const) {
      await post(pspStatus, minute)
      const { status, pspStatus: read } = await sandbox.chargeback('cb-life')
      seen.push(`${read} ${status}`)
    }
    await post('needs_response', 13, { lifecycleStage: 'second_chargeback' })
    const last = await sandbox.chargeback('cb-life')
    expect([...seen, `${last.lifecycleStage} ${last.pspStatus} ${last.status}`]).toEqual([
      'needs_response waiting_for_data',
      'under_review pending_psp_results',
      'lost pending_psp_results',
      'second_chargeback needs_response waiting_for_data',
    ])
    const events = await sandbox.read(`/chargebacks/${last.id}/timeline`)
    expect(events.map((one: { what: string }) => one.what)).toEqual(
      expect.arrayContaining(['ingested', 'pspStatus changed', 'status changed', 'lifecycleStage changed']),
    )
  })

  test('are accepted but ignored if their requestTimeStamp is older than the last applied one', async () => {
    const post = (pspStatus: string, second: string) =>
      sandbox.upload(recoupShape({ chargebackId: 'cb-order', pspStatus }), {
        requestTimeStamp: `2026-06-01T10:00:${second}Z`,
      })
    await post('needs_response', '30')
    await post('won', '31')
    expect(await post('lost', '29.999')).toMatchObject({ status: 'ignored', reason: expect.any(String) })
    expect((await sandbox.chargeback('cb-order')).pspStatus).toBe('won')
    expect(await post('lost', '31')).toMatchObject({ status: 'applied' })
    expect((await sandbox.chargeback('cb-order')).pspStatus).toBe('lost')
  })

  test('applied out of order keep the newest status', async () => {
    const shape = (pspStatus: string) => recoupShape({ chargebackId: 'cb-late', pspStatus })
    const first = await sandbox.post(shape('needs_response'), { requestTimeStamp: '2026-06-01T10:00:01Z' })
    const second = await sandbox.post(shape('under_review'), { requestTimeStamp: '2026-06-01T10:00:02Z' })
    for (const response of [second, first]) await sandbox.apply(response.body.id)
    await sandbox.poll(sandbox.home)
    expect((await sandbox.chargeback('cb-late')).pspStatus).toBe('under_review')
  })

  test('applied twice change nothing', async () => {
    const response = await sandbox.post(recoupShape({ chargebackId: 'cb-twice' }))
    expect(await sandbox.apply(response.body.id)).toEqual({ status: 'applied' })
    expect(await sandbox.apply(response.body.id)).toEqual({ status: 'done' })
  })

  test('in Stripe’s own shape are translated like Stripe’s, at a sandbox and at a Stripe integration', async () => {
    const stripe = await sandbox.integrate({ source: 'stripe', secretPayload: { apiKey: 'rk_test_posted' } })
    for (const integrationId of [sandbox.home, stripe]) {
      const id = `du_${integrationId.slice(-12)}`
      const dispute = { ...sampleDispute(), id, status: 'needs_response' }
      const response = await sandbox.post(dispute, { dataSource: 'stripe', integrationId })
      await sandbox.apply(response.body.id)
      // A Stripe integration needs no poll for it, because Stripe does not have the dispute.
      if (integrationId === sandbox.home) await sandbox.poll(integrationId)
      expect(await sandbox.chargeback(id)).toMatchObject({ psp: 'stripe', integrationId, pspStatus: 'needs_response' })
    }
  })

  test('as Adyen’s notifications become one dispute, at a sandbox and at an Adyen integration', async () => {
    const { secretType, secretPayload } = adyenSimulator
    const adyen = await sandbox.integrate({
      source: 'adyen',
      externalIdentifier: 'TestMerchantECOM',
      secretType: secretType as 'HMAC',
      secretPayload,
    })
    for (const integrationId of [sandbox.home, adyen]) {
      const pspReference = `DISPUTE${integrationId.slice(-9).toUpperCase()}`
      const one = (value: Record<string, unknown>, day: number) =>
        sandbox.upload(
          { ...value, pspReference },
          { dataSource: 'adyen', integrationId, requestTimeStamp: `2026-02-0${day}T10:00:00Z` },
        )
      await one(opened(1), 1)
      await one(item('INFORMATION_SUPPLIED', 2), 2)
      expect(await sandbox.chargeback(pspReference)).toMatchObject({
        psp: 'adyen',
        pspStatus: 'under_review',
        amount: 10,
        transactionId: '9914444444444444',
      })
    }
  })

  test('are sealed, and can be accepted by the sandbox’s own rules', async () => {
    await sandbox.upload(recoupShape({ chargebackId: 'cb-sealed', reason: 'Canary Holder' }))
    const { rows } = await sql<{ found: bigint }>`
      select (select count(*) from ingestion where sealed like '%Canary%')
        + (select count(*) from notification where sealed like '%Canary%') as found`.execute(sandbox.stage.db)
    expect(rows).toEqual([{ found: 0n }])
    const { id } = await sandbox.chargeback('cb-sealed')
    expect((await sandbox.stage.call('POST', `/v1/chargebacks/${id}/accept`)).status).toBe(200)
  })
})
