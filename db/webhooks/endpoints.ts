import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import {
  type DisabledReason,
  type EndpointState,
  MOST_ENDPOINTS,
  type Payload,
  type Signature,
} from '../../domain/webhooks/endpoint.ts'
import { FAILING_AFTER } from '../../domain/webhooks/retries.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { inScope } from '../core/scope.ts'
import { type KeyRing, seal, sealContext } from '../core/seal.ts'

/** Whose endpoints: one merchant's, or those of the account for all its merchants. */
export interface EndpointOwner {
  accountId: string
  merchantUuid: string | null
}

export interface EndpointRecord {
  endpointId: string
  url: string
  description: string | null
  events: string[]
  payload: Payload
  signature: Signature
  publicKey: string | null
  state: EndpointState
  disabledReason: DisabledReason | null
  createdAt: Date
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  lastFailureStatus: number | null
  lastFailureKind: string | null
  /** Deliveries that wait. */
  pending: number
}

/** Rows of an owner, `w`, that are not deleted. */
const owned = ({ accountId, merchantUuid }: EndpointOwner) => sql`w.account_id = ${accountId}
  and w.merchant_uuid is not distinct from ${merchantUuid}::uuid and w.deleted_at is null`

const COLUMNS = sql`w.endpoint_id as "endpointId", w.url, w.description, w.events, w.payload, w.signature,
  w.public_key as "publicKey", case when w.disabled_at is not null then 'disabled'
    when w.failures >= ${sql.lit(FAILING_AFTER)} then 'failing' else 'enabled' end as state,
  w.disabled_reason as "disabledReason", w.created_at as "createdAt", w.last_success_at as "lastSuccessAt",
  w.last_failure_at as "lastFailureAt", w.last_failure_status as "lastFailureStatus",
  w.last_failure_kind as "lastFailureKind",
  (select count(*)::int from webhook_delivery d where d.endpoint_id = w.endpoint_id and d.state = 'pending') as pending`

export interface NewEndpoint extends EndpointOwner {
  url: string
  description: string | null
  events: readonly string[]
  payload: Payload
  signature: Signature
  keys: readonly string[]
  publicKey: string | null
  /** For the trail. */
  actor: string
}

/** Keys of an endpoint as one text. */
export const joinKeys = (keys: readonly string[]): string => keys.join(' ')

/** Call it in a transaction. @returns the id @throws Refusal too_many_endpoints */
export async function createEndpoint(db: Database, ring: KeyRing, endpoint: NewEndpoint): Promise<string> {
  const { accountId, merchantUuid } = endpoint
  // Concurrent requests of the account wait here, so that each counts the endpoints of the others.
  await sql`select from account where account_id = ${accountId} for no key update`.execute(db)
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from webhook_endpoint w where ${owned(endpoint)}`.execute(db)
  if ((rows[0]?.count ?? 0) >= MOST_ENDPOINTS)
    throw new Refusal(
      'invalid',
      'too_many_endpoints',
      `There are ${MOST_ENDPOINTS} webhook endpoints already, which is the maximum. Delete one that is not used.`,
    )
  const endpointId = uuidv7()
  const { url, description, events, payload, signature, keys, publicKey, actor } = endpoint
  await db
    .insertInto('webhook_endpoint')
    .values({
      ...{ endpoint_id: endpointId, account_id: accountId, merchant_uuid: merchantUuid, url, description, payload },
      ...{ events: [...events], signature, public_key: publicKey },
      keys_sealed: seal(ring, joinKeys(keys), sealContext.webhookEndpoint(endpointId, accountId)),
    })
    .execute()
  await recordChange(db, { endpointId, actor, what: 'created', details: { host: hostOf(url), events } })
  return endpointId
}

/** Oldest first. */
export async function listEndpoints(db: Database, owner: EndpointOwner): Promise<EndpointRecord[]> {
  const { rows } = await sql<EndpointRecord>`
    select ${COLUMNS} from webhook_endpoint w where ${owned(owner)} order by w.endpoint_id`.execute(db)
  return rows
}

/** @throws Refusal webhook_endpoint_not_found, also for an endpoint of another owner */
export async function readEndpoint(db: Database, owner: EndpointOwner, endpointId: string): Promise<EndpointRecord> {
  const { rows } = await sql<EndpointRecord>`
    select ${COLUMNS} from webhook_endpoint w where w.endpoint_id = ${endpointId} and ${owned(owner)}`.execute(db)
  if (!rows[0]) throw endpointNotFound()
  return rows[0]
}

/** @see readReported */
export interface ReportedEndpoint extends EndpointRecord {
  /** It is of all merchants of the account. */
  ofAccount: boolean
}

/**
 * Endpoints that an event is about: of the merchant, or of its account for all merchants. The latter are not in the scope
 * of a merchant, whose log has the event.
 */
export async function readReported(
  db: Database,
  { merchantUuid, endpointIds }: { merchantUuid: string; endpointIds: readonly string[] },
): Promise<ReportedEndpoint[]> {
  const { rows } = await inScope('system', () =>
    sql<ReportedEndpoint>`
    select ${COLUMNS}, w.merchant_uuid is null as "ofAccount" from merchant m join webhook_endpoint w on w.account_id = m.account_id
      and (w.merchant_uuid = m.merchant_uuid or w.merchant_uuid is null)
    where m.merchant_uuid = ${merchantUuid} and w.endpoint_id = any(${[...endpointIds]}::uuid[])`.execute(db),
  )
  return rows
}

/** Locks the endpoint until the transaction ends. @throws Refusal webhook_endpoint_not_found */
export async function lockEndpoint(db: Database, owner: EndpointOwner, endpointId: string) {
  const { rows } = await sql<{ url: string; signature: Signature; disabled: boolean }>`
    select w.url, w.signature, w.disabled_at is not null as disabled from webhook_endpoint w
    where w.endpoint_id = ${endpointId} and ${owned(owner)} for no key update`.execute(db)
  if (!rows[0]) throw endpointNotFound()
  return rows[0]
}

export const endpointNotFound = () =>
  new Refusal('missing', 'webhook_endpoint_not_found', 'There is no webhook endpoint with this id.')

/** Appends to the trail of an endpoint: who changed what. Without the path of an address, which may hold a secret. */
export async function recordChange(
  db: Database,
  { endpointId, actor, what, details }: { endpointId: string; actor: string; what: string; details?: object },
): Promise<void> {
  await sql`insert into webhook_endpoint_event (endpoint_id, actor, what, details)
    values (${endpointId}, ${actor}, ${what}, ${JSON.stringify(details ?? {})}::jsonb)`.execute(db)
}

export const hostOf = (url: string): string => new URL(url).host
