import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RECORD_DATA_POINTS, type RecordType } from '../../../domain/raw-data.ts'
import { createSandbox, recoupShape, type Sandbox } from './sandbox.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox()
})
afterAll(() => sandbox[Symbol.asyncDispose]())

const assessment = async (id: string) => sandbox.read(`/chargebacks/${id}/assessment`)
/** Names of data points from clients or records. */
async function points(id: string): Promise<string[]> {
  const row = await sandbox.stage.db
    .selectFrom('chargeback')
    .select('data_points')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return row.data_points
}

describe('records of payments', () => {
  test.each(Object.entries(RECORD_DATA_POINTS))(
    '%s become the data point %s of the chargeback that they name',
    async (type, name) => {
      const chargebackId = `cb-${type}`
      await sandbox.upload(recoupShape({ chargebackId, transactionId: `tx-${type}`, arn: `arn-${type}` }))
      const upload = { dataType: type as RecordType }
      for (const [id, about] of [
        [`${type}-1`, { chargebackId }],
        [`${type}-2`, { transactionId: `tx-${type}` }],
        [`${type}-3`, { arn: `arn-${type}`, note: null }],
        [`${type}-4`, { charge: { id: `tx-${type}`, object: 'charge' } }],
      ] as const) {
        const response = await sandbox.post({ id, amount: 5, ...about }, upload)
        expect(await sandbox.apply(response.body.id)).toEqual({ status: 'applied' })
      }
      const { id } = await sandbox.chargeback(chargebackId)
      expect(await points(id)).toContain(name)
    },
  )

  test('a refund that succeeded is proof, one that failed is not', async () => {
    for (const [status, proves] of [
      ['failed', false],
      ['succeeded', true],
    ] as const) {
      const chargebackId = `cb-refund-${status}`
      await sandbox.upload(recoupShape({ chargebackId, transactionId: `tx-${status}` }))
      const { id, winProbability: before } = await sandbox.chargeback(chargebackId)
      const refund = { id: `re_${status}`, object: 'refund', charge: `tx-${status}`, status, reason: null }
      await sandbox.upload(refund, { dataSource: 'stripe', dataType: 'refunds' })
      const after = await sandbox.chargeback(chargebackId)
      expect((await points(id)).includes('refundProof')).toBe(proves)
      expect(after.winProbability > before).toBe(proves)
      expect((await assessment(id)).winProbability).toBe(after.winProbability)
    }
  })

  test('a record that arrives before its chargeback waits for it', async () => {
    const note = { id: 'note-early', chargebackId: 'cb-early', text: 'cardholder says it never arrived' }
    const response = await sandbox.post(note, { dataType: 'issuer_notes' })
    expect(await sandbox.apply(response.body.id)).toEqual({ status: 'waiting' })
    const status = async () => sandbox.read(`/sandbox/raw-data/${response.body.id}`)
    expect(await status()).toMatchObject({ status: 'waiting', reason: expect.stringContaining('No chargeback') })
    const requested = async () =>
      (await sandbox.stage.db.selectFrom('outbox').select('payload').execute()).filter(
        ({ payload }) => (payload as { ingestionId?: string }).ingestionId === response.body.id,
      ).length
    await sandbox.stage.db.deleteFrom('outbox').execute()
    await sandbox.reconcile()
    expect(await requested()).toBe(0)
    await sandbox.upload(recoupShape({ chargebackId: 'cb-early', transactionId: 'tx-early' }))
    await sandbox.reconcile()
    await sandbox.reconcile()
    expect(await requested()).toBe(1)
    expect(await sandbox.apply(response.body.id)).toEqual({ status: 'applied' })
    expect(await points((await sandbox.chargeback('cb-early')).id)).toContain('issuerNotes')
  })

  test('a record about a decided case fails with the reason', async () => {
    await sandbox.upload(recoupShape({ chargebackId: 'cb-won', transactionId: 'tx-won', pspStatus: 'won' }))
    const failed = await sandbox.upload({ id: 'pa-1', chargebackId: 'cb-won' }, { dataType: 'payment_actions' })
    expect(failed).toMatchObject({ status: 'failed', reason: expect.stringContaining('final') })
  })

  test('a record whose run was lost is started again', async () => {
    const response = await sandbox.post({ id: 'lost-run', chargebackId: 'cb-nowhere' }, { dataType: 'card_checks' })
    const { db } = sandbox.stage
    await db.deleteFrom('outbox').execute()
    await sandbox.reconcile()
    expect(await db.selectFrom('outbox').select('kind').execute()).toEqual([])
    await db
      .updateTable('ingestion')
      .set({ created_at: new Date(Date.now() - 60_000) })
      .where('ingestion_id', '=', response.body.id)
      .execute()
    await sandbox.reconcile()
    expect(await db.selectFrom('outbox').select('kind').execute()).toEqual([{ kind: 'ingest_raw_data' }])
  })
})

describe('posted transactions', () => {
  test('are handled like POST /transactions, and join the chargeback', async () => {
    await sandbox.upload(recoupShape({ chargebackId: 'cb-tx', transactionId: 'tx-joined' }))
    const before = await sandbox.chargeback('cb-tx')
    const record = { transactionId: 'tx-joined', transactionOrderItemsProductDescription: 'A trail shoe, size 42' }
    expect(await sandbox.upload(record, { dataType: 'transactions' })).toMatchObject({ status: 'applied' })
    const after = await sandbox.chargeback('cb-tx')
    expect([before.isEnriched, after.isEnriched]).toEqual([false, true])
    expect(after.enrichmentRatio).toBeGreaterThan(before.enrichmentRatio)
  })
})

describe('alerts', () => {
  const alerts = async () => sandbox.read('/pre-chargeback-alerts/alerts?limit=100')
  const alertOf = async (providerAlertId: string) =>
    (await alerts()).find((one: { providerAlertId: string }) => one.providerAlertId === providerAlertId)

  test('early fraud warnings in the Recoup shape are alerts, and no chargebacks', async () => {
    const warning = { chargebackId: 'efw-1', currency: 'EUR', amount: 12.5, providerName: 'Verifi CDRN' }
    await sandbox.upload(warning, { dataType: 'early_fraud_warnings', dataSource: 'checkout' })
    const alert = await alertOf('efw-1')
    expect(alert).toMatchObject({ providerName: 'Verifi CDRN', psp: 'checkout', amount: 12.5, currency: 'EUR' })
    expect(alert.chargebackId).toBeUndefined()
    expect(await sandbox.chargeback('efw-1')).toBeUndefined()
  })

  test('a Stripe Radar warning is an alert without an amount, and its fraud type belongs to the transaction', async () => {
    await sandbox.upload(recoupShape({ chargebackId: 'cb-efw', transactionId: 'ch_efw' }))
    const warning = {
      id: 'issfr_1',
      object: 'radar.early_fraud_warning',
      actionable: true,
      charge: 'ch_efw',
      created: 1_790_000_000,
      fraud_type: 'unauthorized_use_of_card',
      livemode: false,
    }
    await sandbox.upload(warning, { dataType: 'early_fraud_warnings', dataSource: 'stripe' })
    const alert = await alertOf('issfr_1')
    expect(alert).toMatchObject({ psp: 'stripe', transactionId: 'ch_efw', fraudType: 'unauthorized_use_of_card' })
    expect([alert.amount, alert.providerName]).toEqual([undefined, undefined])
    const { id } = await sandbox.chargeback('cb-efw')
    expect(await points(id)).toContain('transactionEarlyFraudWarningFraudType')
  })

  test('a chargeback of the stage alert is an alert, and its outcome is in its timeline', async () => {
    const shape = recoupShape({ chargebackId: 'cb-alert', lifecycleStage: 'alert', providerName: 'Ethoca' })
    await sandbox.upload(shape)
    const { id } = await sandbox.chargeback('cb-alert')
    const alert = await alertOf('cb-alert')
    expect(alert).toMatchObject({ chargebackId: id, providerName: 'Ethoca', amount: 10.99 })
    for (const outcome of ['in_progress', 'resolved']) {
      const body = { alertId: alert.alertId, providerName: 'Ethoca', outcome }
      await sandbox.stage.call('POST', '/v1/pre-chargeback-alerts/alerts/outcome', { body })
    }
    const events = await sandbox.read(`/chargebacks/${id}/timeline`)
    expect(events.filter((one: { what: string }) => one.what === 'alert outcome recorded')).toMatchObject([
      { source: 'api', after: { outcome: 'in_progress' } },
      { source: 'api', before: { outcome: 'in_progress' }, after: { outcome: 'resolved' } },
    ])
  })

  test('an alert that becomes a chargeback stays an alert', async () => {
    const shape = recoupShape({ chargebackId: 'cb-risen', lifecycleStage: 'alert', providerName: 'Verifi RDR' })
    await sandbox.upload(shape)
    const { alertId } = await alertOf('cb-risen')
    const risen = { ...shape, lifecycleStage: 'chargeback', providerName: undefined }
    await sandbox.upload(risen, { requestTimeStamp: '2026-06-02T10:00:00Z' })
    expect(await sandbox.chargeback('cb-risen')).toMatchObject({ lifecycleStage: 'chargeback' })
    expect(await alertOf('cb-risen')).toMatchObject({ alertId, providerName: 'Verifi RDR' })
  })
})
