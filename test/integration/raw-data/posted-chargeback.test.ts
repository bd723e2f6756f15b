import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ingestionWorkflowId } from '../../../workflows/contract.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import { recoupShape } from './sandbox.ts'

let stack: Stack
let integrationId: string
beforeAll(async () => {
  stack = await startStack()
  integrationId = await stack.connectStripe({
    source: 'recoup_sandbox',
    externalIdentifier: 'posted-shop',
    secretType: 'APIKEY_ONLY',
    secretPayload: { apiKey: 'key-4c1d' },
  })
})
afterAll(() => stack[Symbol.asyncDispose]())

async function post(rawData: unknown, second: number, upload: object = {}): Promise<string> {
  const requestTimeStamp = `2026-06-01T10:00:${second}Z`
  const common = { dataSource: 'nmi', dataSourceVersion: '1', dataType: 'chargebacks', integrationId }
  const response = await stack.call('POST', '/sandbox/raw-data', { ...common, requestTimeStamp, ...upload, rawData })
  expect(response.status).toBe(201)
  return response.body.id
}
const listed = async () => (await stack.call('GET', '/chargebacks?chargebackId=cb-1')).body.data[0]
const reads = (what: string, field: string, value: string) =>
  until(what, async () => (await listed())?.[field], { holds: (found) => found === value })

describe('raw data, through real processes', () => {
  test('is applied by its own run, listed, changed by further posts, and accepted', async () => {
    const ingestionId = await post(recoupShape(), 10)
    const run = stack.temporal.workflow.getHandle(ingestionWorkflowId(ingestionId))
    await until('the run exists', async () => run.describe())
    expect(await run.result()).toEqual({ status: 'applied' })
    await reads('it is listed', 'status', 'waiting_for_data')
    await post(recoupShape({ pspStatus: 'under_review' }), 11)
    await reads('it is under review', 'status', 'pending_psp_results')
    await post(recoupShape({ lifecycleStage: 'second_chargeback' }), 12)
    await reads('it needs a response again', 'lifecycleStage', 'second_chargeback')
    const { id } = await listed()
    expect((await stack.call('POST', `/chargebacks/${id}/accept`)).status).toBe(200)
    await until('it is accepted', async () => (await stack.call('GET', `/chargebacks/${id}/accept`)).body.status, {
      holds: (status) => status === 'succeeded',
    })
    expect(await listed()).toMatchObject({ pspStatus: 'lost', status: 'not_represented' })
  })

  test('an early fraud warning is an alert, whose outcome is recorded', async () => {
    const warning = { chargebackId: 'efw-1', currency: 'EUR', amount: 12.5, providerName: 'Ethoca' }
    await post(warning, 10, { dataType: 'early_fraud_warnings' })
    const alerts = async () => (await stack.call('GET', '/pre-chargeback-alerts/alerts')).body.data
    const [alert] = await until('the alert is listed', alerts, { holds: (found) => found.length === 1 })
    const body = { alertId: alert.alertId, providerName: 'Ethoca', refunded: 'refunded' }
    expect((await stack.call('POST', '/pre-chargeback-alerts/alerts/outcome', body)).status).toBe(201)
    expect((await alerts())[0].refunded).toBe('refunded')
  })
})
