import { v7 as uuidv7 } from 'uuid'
import type { ApiDeps } from '../../../api/context.ts'
import type { NewIntegration } from '../../../db/integrations/integrations.ts'
import type { Psp } from '../../../domain/chargeback.ts'
import type { DataType } from '../../../domain/raw-data.ts'
import { openInProcess, subjectOf } from '../../harness/in-process.ts'
import type { CallResult } from '../api/stage.ts'

export const RAW_DATA = '/v1/sandbox/raw-data'

export interface Upload {
  dataSource?: Psp
  dataSourceVersion?: string
  dataType?: DataType
  integrationId?: string
  requestTimeStamp?: string
}

export type Sandbox = Awaited<ReturnType<typeof createSandbox>>

/** A stage with a sandbox integration, and the activities that a worker would run, without Temporal. */
export async function createSandbox(api: Partial<ApiDeps> = {}) {
  // Posted objects only: the simulated PSP is not called.
  const world = await openInProcess(subjectOf('recoup_sandbox'), { api, activities: { baseUrls: {} } })
  const { stage, origin } = world
  const { applyRawData, ingestPages, reconcileIngestions } = world.activities
  const integrate = (change: Partial<NewIntegration> = {}): Promise<string> =>
    world.connect({ externalIdentifier: `shop-${uuidv7()}`, ...change })
  const home = await integrate()

  const post = (rawData: unknown, upload: object = {}, headers = {}): Promise<CallResult> =>
    stage.call('POST', RAW_DATA, {
      headers,
      body: {
        dataSource: 'recoup_sandbox',
        dataSourceVersion: '1',
        dataType: 'chargebacks',
        integrationId: home,
        requestTimeStamp: '2026-06-01T10:00:00Z',
        ...upload,
        rawData,
      },
    })
  const { run } = world
  const poll = (integrationId: string) => run(ingestPages, { integrationId })

  return {
    stage,
    origin,
    home,
    integrate,
    post,
    poll,
    apply: (ingestionId: string) => run(applyRawData, { ingestionId }),
    reconcile: () => run(reconcileIngestions as (input: unknown) => Promise<number>, undefined),
    read: async (path: string) => (await stage.call('GET', `/v1${path}`)).body.data,
    /** Posts and applies an object, and polls. @returns its ingestion */
    async upload(rawData: unknown, upload: Upload = {}) {
      const response = await post(rawData, upload)
      if (response.status !== 201) throw new Error(response.text)
      await run(applyRawData, { ingestionId: response.body.id as string })
      await poll(upload.integrationId ?? home)
      return (await stage.call('GET', `${RAW_DATA}/${response.body.id}`)).body.data
    },
    /** Read through the API, or undefined. */
    async chargeback(chargebackId: string) {
      const { body } = await stage.call('GET', `/v1/chargebacks?chargebackId=${chargebackId}`)
      return body.data[0]
    },
    [Symbol.asyncDispose]: world[Symbol.asyncDispose],
  }
}

/** An open chargeback in the Recoup shape. */
export const recoupShape = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  chargebackId: 'cb-1',
  currency: 'EUR',
  amount: 10.99,
  postingDate: '2026-05-20T00:00:00Z',
  dueDate: '2099-06-10T00:00:00Z',
  pspStatus: 'needs_response',
  lifecycleStage: 'chargeback',
  transactionId: 'tx-1',
  reasonCode: '13.1',
  cardScheme: 'visa',
  ...changes,
})
