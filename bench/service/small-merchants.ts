import { sql } from 'kysely'
import { ACCEPT_STAGES } from '../../adapters/stripe/accept.ts'
import { issueCredential } from '../../db/merchants/credentials.ts'
import { DUE_CHANNEL } from '../../db/polling/due.ts'
import { addIntegrations } from '../fleet/integrations.ts'
import type { Closing } from '../psp/closings.ts'
import { type Service, until } from './service.ts'

/** Merchants who go on with their work, whatever others do. */
const MERCHANTS = 50
const LOADED_MS = 600_000
/** An acceptance that takes longer is none that a benchmark can wait for. */
const APPLIED_MS = 120_000

export interface Acceptable {
  id: string
  reference: string
  account: string
  /** Names the merchant to the API. */
  referenceId: string
}

export interface SmallMerchants {
  /** Of the account of all of them. */
  token: string
  /** The next chargebacks that can be accepted, of merchants in turn. @throws when too few are left */
  take(count: number): Acceptable[]
  /** The same, without taking them. */
  peek(count: number): Acceptable[]
  /** Ages of the last successful poll of each, seconds. */
  ages(): Promise<number[]>
}

/** Gives the service fifty merchants, and waits until it has read their disputes. `name` begins their accounts. */
export async function addSmallMerchants(service: Service, disputes: number, name = 'small'): Promise<SmallMerchants> {
  const { db, ring } = service
  const accountId = await addIntegrations(db, ring, { count: MERCHANTS, name })
  const credential = { accountId, scope: 'account', environment: 'sandbox' } as const
  const { token } = await issueCredential(db, ring, credential)
  await sql`update integration set next_poll_at = now()`.execute(db)
  await service.start()
  await sql`select pg_notify(${DUE_CHANNEL}, '')`.execute(db)
  const loaded = async () => {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from chargeback where context_at is not null or context_attempts > 0`.execute(db)
    return (rows[0]?.n ?? 0) >= MERCHANTS * disputes
  }
  await until('all disputes of the small merchants are read', loaded, LOADED_MS)
  const { rows: waiting } = await sql<Acceptable>`
    select c.id, c.chargeback_id as reference, i.psp_account as account, m.reference_id as "referenceId"
    from chargeback c join integration i using (integration_id) join merchant m on m.merchant_uuid = i.merchant_uuid
    where c.psp_status = 'needs_response' and c.lifecycle_stage in (${sql.join([...ACCEPT_STAGES])})
      and c.due_date > now() + interval '1 day'
    order by row_number() over (partition by integration_id order by c.id), c.id`.execute(db)
  return {
    token,
    take(count) {
      if (waiting.length < count) throw new Error(`only ${waiting.length} chargebacks are left to accept`)
      return waiting.splice(0, count)
    },
    peek: (count) => waiting.slice(0, count),
    async ages() {
      const { rows } = await sql<{ age: number }>`
        select extract(epoch from now() - last_successful_poll_at)::float8 as age from integration
        where psp_account like ${`acct_${name}%`} and last_successful_poll_at is not null`.execute(db)
      return rows.map(({ age }) => age)
    },
  }
}

/** Number of the next request: the APIs take turns. */
let next = 0

/** @returns when the API responded, ms of the clock @throws when it refused */
export async function accept(service: Service, { token }: SmallMerchants, one: Acceptable): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'reference-account-id': one.referenceId }
  const apiUrl = service.apiUrls[next++ % service.apiUrls.length]
  const response = await fetch(`${apiUrl}/v1/chargebacks/${one.id}/accept`, { method: 'POST', headers })
  const text = await response.text()
  if (!response.ok) throw new Error(`the API refused an acceptance: ${text}`)
  return Date.now()
}

/** The first page of the chargebacks of this one's merchant. @returns ms until the whole response is read */
export async function list(service: Service, { token }: SmallMerchants, one: Acceptable): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'reference-account-id': one.referenceId }
  const began = performance.now()
  const response = await fetch(`${service.apiUrl}/v1/chargebacks?limit=50`, { headers })
  const text = await response.text()
  if (!response.ok) throw new Error(`the API refused a list: ${text}`)
  return performance.now() - began
}

/** Waits until the PSP has applied these. @returns when, by account and reference */
export async function applied(
  closings: () => Promise<Closing[]>,
  wanted: readonly Acceptable[],
): Promise<Map<string, number>> {
  const times = new Map<string, number>()
  const all = async () => {
    for (const { key, reference, at } of await closings()) times.set(`${key} ${reference}`, at)
    return wanted.every((one) => times.has(placeOf(one)))
  }
  await until('the PSP has applied all acceptances', all, APPLIED_MS)
  return times
}

export const placeOf = ({ account, reference }: Acceptable) => `sk_test_${account.slice('acct_'.length)} ${reference}`
