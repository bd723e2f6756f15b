import type { Database } from '../db/core/connect.ts'
import { Refusal } from '../db/core/refusal.ts'
import type { KeyRing } from '../db/core/seal.ts'
import { inTransaction } from '../db/core/transaction.ts'
import { createAccount, requireAccount } from '../db/merchants/accounts.ts'
import { issueCredential } from '../db/merchants/credentials.ts'
import { addToGroup, createGroup } from '../db/merchants/groups.ts'
import { createMerchant } from '../db/merchants/merchants.ts'
import type { Environment } from '../domain/integration.ts'
import type { DataFolder } from './data-folder.ts'
import type { SimulatedPsp } from './psps.ts'

/** Data of the first start; stored in the data folder, because a token is shown only once. */
export interface Demo {
  accountId: string
  groupId: string
  merchantUuid: string
  referenceId: string
  environment: Environment
  tokens: { account: string; group: string; merchant: string }
  /** Sources whose demo disputes and integration are created; null when the start was asked to stay empty. */
  connected: string[] | null
}

const FILE = 'demo.json'
const DISPUTES = 60
/** Long-lived, because the folder stores the tokens and nobody renews them. */
const YEAR_MS = 365 * 24 * 3600 * 1000

/**
 * The demo account with one merchant, a group and a token of each scope: made on the first start, or again when the
 * database is another one than then.
 */
export async function ensureDemo(
  db: Database,
  ring: KeyRing,
  folder: DataFolder,
  options: { environment: Environment; empty: boolean },
): Promise<Demo> {
  const known = folder.read<Demo>(FILE)
  if (known?.environment === options.environment && (await accountExists(db, known.accountId))) return known
  const { environment } = options
  const demo = await inTransaction(db, async (trx): Promise<Demo> => {
    const { accountId } = await createAccount(trx, { name: 'Demo' })
    const contact = { email: 'owner@demo.example', firstName: 'Dana', lastName: 'Owner' }
    const names = { merchantName: 'Demo Shop', websiteUrl: 'https://shop.demo.example', referenceId: 'demo-shop' }
    const { merchantUuid, referenceId } = await createMerchant(trx, ring, { accountId, contact, ...names })
    const { groupId } = await createGroup(trx, { accountId, name: 'Demo group' })
    await addToGroup(trx, { groupId, merchantUuid })
    const base = { accountId, environment, name: 'Demo', expiresAt: new Date(Date.now() + YEAR_MS) }
    const account = await issueCredential(trx, ring, { ...base, scope: 'account' })
    const group = await issueCredential(trx, ring, { ...base, scope: 'group', groupId })
    const merchant = await issueCredential(trx, ring, { ...base, scope: 'merchant', merchantUuid })
    const tokens = { account: account.token, group: group.token, merchant: merchant.token }
    const connected = options.empty ? null : []
    return { accountId, groupId, merchantUuid, referenceId, environment, tokens, connected }
  })
  folder.write(FILE, demo)
  return demo
}

async function accountExists(db: Database, accountId: string): Promise<boolean> {
  try {
    await requireAccount(db, accountId)
    return true
  } catch (error) {
    // A database error is no reason to seed again.
    if (error instanceof Refusal) return false
    throw error
  }
}

/**
 * Creates the PSP's demo disputes and connects its account through the API, once. Continues after a start that was
 * killed half-way.
 */
export async function connectDemo(
  demo: Demo,
  folder: DataFolder,
  psp: SimulatedPsp,
  addresses: { apiUrl: string; controlUrl: string },
): Promise<void> {
  const { source, secretType, profile } = psp.definition
  const secretPayload = psp.definition.homeSecretPayload ?? psp.definition.secretPayload
  if (demo.connected === null || demo.connected.includes(source)) return
  const disputes = `${addresses.controlUrl}/disputes`
  const { total } = await call<{ total: number }>(disputes, { method: 'GET' })
  if (total === 0) await call(disputes, { method: 'POST', body: JSON.stringify({ count: DISPUTES }) })
  const connect = call(`${addresses.apiUrl}/integrations`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${demo.tokens.merchant}`,
      'content-type': 'application/json',
      'idempotency-key': `demo-${source}`,
    },
    body: JSON.stringify({
      externalIdentifier: profile.homeAccount,
      integrationName: `Simulated ${source}`,
      source,
      secretType,
      secretPayload,
    }),
  })
  // Connected by a start that was killed before it recorded it.
  await connect.catch((error: Error) => {
    if (!error.message.includes('duplicate_integration')) throw error
  })
  demo.connected.push(source)
  folder.write(FILE, demo)
}

/**
 * Lets the PSP's notifications flow to the demo's integration of it. A PSP without a list tells what happened before,
 * too: its notifications are all there is to read.
 */
export async function subscribeDemo(
  psp: SimulatedPsp,
  integrationId: string,
  addresses: { apiUrl: string; controlUrl: string },
): Promise<void> {
  const backlog = psp.definition.notifiesOnly === true
  const url = `${addresses.apiUrl}/notifications/${integrationId}`
  const subscriptions = `${addresses.controlUrl}/subscriptions`
  const { subscriptions: known } = await call<{ subscriptions: { url: string }[] }>(subscriptions, { method: 'GET' })
  if (known.some((subscription) => subscription.url === url)) return
  await call(subscriptions, { method: 'POST', body: JSON.stringify({ url, backlog }) })
}

async function call<T>(url: string, init: RequestInit): Promise<T> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) })
  const text = await response.text()
  if (!response.ok) throw new Error(`${init.method} ${url} answered ${response.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}
