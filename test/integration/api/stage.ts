import { randomBytes, randomUUID } from 'node:crypto'
import type { LookupFunction } from 'node:net'
import type { AdapterDefinition } from '../../../adapters/contract.ts'
import { acceptedSecretTypes, adapterFor } from '../../../adapters/registry.ts'
import { createApp } from '../../../api/app.ts'
import type { ApiDeps } from '../../../api/context.ts'
import { createMetrics } from '../../../api/http/metrics.ts'
import { connect, over } from '../../../db/core/connect.ts'
import { readKeyRing } from '../../../db/core/seal.ts'
import { createAccount } from '../../../db/merchants/accounts.ts'
import { issueCredential } from '../../../db/merchants/credentials.ts'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import { addressBlocks } from '../../../process/address-blocks.ts'
import { createLog } from '../../../process/log.ts'
import type { Ways } from '../../../webhooks/guarded-agents.ts'
import { createDatabase } from '../../harness/database.ts'
import { fileProcesses } from '../../harness/file-processes.ts'
import { checkResponse } from './http/check-response.ts'

/** Webhook receivers of tests are on loopback, or have a name that a resolver of the tests knows. */
export const RECEIVERS: Ways = {
  allowed: addressBlocks(['127.0.0.0/8']),
  proxy: null,
  lookup: ((host, _options, found) =>
    host.endsWith('.example')
      ? found(null, [{ address: '93.184.215.14', family: 4 }])
      : found(notFound(), [])) as LookupFunction,
}
const notFound = () => Object.assign(new Error('not found'), { code: 'ENOTFOUND' })

export interface CallResult {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read any response
  body: any
  headers: Headers
  text: string
}

export interface Call {
  token?: string | undefined
  merchant?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}

export type Stage = Awaited<ReturnType<typeof createStage>>

/** An application with its own database, one account, one merchant and its token. */
export async function createStage(overrides: Partial<ApiDeps> = {}) {
  const database = await createDatabase()
  const db = connect(database.url, { scope: 'system' })
  const keys = `test:${randomBytes(32).toString('base64')}`
  const ring = readKeyRing(keys)
  const lines: string[] = []
  const dispatched: bigint[] = []
  const metrics = createMetrics({ db })
  const deps: ApiDeps = {
    metrics,
    // Like the API's: a statement outside of a scope sees no rows.
    db: over(db.pool, 'none'),
    ring,
    files: fileProcesses,
    log: createLog({ name: 'test', level: 'info' }, { write: (line) => void lines.push(line) }),
    environment: 'sandbox',
    rateLimitPerMinute: 100_000,
    dispatch: async (outboxId) => void dispatched.push(outboxId),
    rotationSeconds: 0.3,
    adapters: { adapterFor, acceptedSecretTypes },
    receivers: RECEIVERS,
    ...overrides,
  }
  const app = createApp(deps)

  async function newMerchant(accountId: string, referenceId?: string) {
    const contact = { email: 'owner@example.com', firstName: 'Olga', lastName: 'Owner' }
    return createMerchant(db, ring, {
      accountId,
      merchantName: 'Shop',
      websiteUrl: 'https://example.com',
      contact,
      referenceId,
    })
  }
  const { accountId } = await createAccount(db, { name: 'Acme' })
  const { merchantUuid, referenceId } = await newMerchant(accountId, `shop-${randomUUID().slice(0, 8)}`)
  const credential = await issueCredential(db, ring, {
    accountId,
    scope: 'merchant',
    merchantUuid,
    environment: 'sandbox',
  })

  /** Checks each response against the API description. */
  async function call(method: string, path: string, options: Call = {}, to = app): Promise<CallResult> {
    const { token = credential.token, merchant, body, headers = {} } = options
    const response = await to.request(path, {
      method,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(merchant !== undefined && { 'reference-account-id': merchant }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const result = { status: response.status, body: json ? JSON.parse(text) : text, headers: response.headers, text }
    checkResponse(method, path, result)
    return result
  }

  return {
    db,
    ring,
    keys,
    app,
    deps,
    lines,
    metrics,
    dispatched,
    database,
    accountId,
    merchantUuid,
    referenceId,
    token: credential.token,
    credentialId: credential.credentialId,
    newMerchant,
    call,
    /** A second process on the same database. */
    secondApp: (more: Partial<ApiDeps> = {}) => createApp({ ...deps, ...more }),
    issue: (request: Omit<Parameters<typeof issueCredential>[2], 'environment'>) =>
      issueCredential(db, ring, { environment: 'sandbox', ...request }),
    async [Symbol.asyncDispose]() {
      await db.destroy()
      await database[Symbol.asyncDispose]()
    },
  }
}

/** The registry's Stripe, as a PSP that does not support acceptance. */
export const withoutAcceptance = (definition: AdapterDefinition | undefined): AdapterDefinition | undefined =>
  definition && { ...definition, capabilities: { ...definition.capabilities, accept: false } }
