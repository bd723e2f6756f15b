import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { IntegrationStatus, SecretType, Source } from '../../domain/integration.ts'
import type { Database } from '../core/connect.ts'
import { enqueue } from '../core/outbox.ts'
import { integrationNotFound, Refusal } from '../core/refusal.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { recordRotationEnds, SUPERSEDED, withdraw } from './rotation-trail.ts'

/** Seconds after which an unverified candidate secret is withdrawn. The client waits as long for its response. */
export const ROTATION_SECONDS = 20

/** Poll interval of a waiting caller. */
const POLL_EVERY_MS = 100

/** Days that completed rotations are kept: who replaced which secret when, and refusals. They hold no secret. */
const REMEMBERED_DAYS = 90

/** Inputs to check a new secret before anything is stored. */
export interface RotationTarget {
  integrationId: string
  source: Source
  secretType: SecretType
  externalIdentifier: string
}

export interface RotationRequest {
  integrationId: string
  /** Undefined: an operator, for any merchant. */
  merchantUuid?: string | undefined
  /** Changed together with the secret, or not at all. */
  integrationName?: string | undefined
  secretType: SecretType
  /** As the client sent it; stored sealed. */
  secretPayload: Record<string, unknown>
  credentialId?: string | undefined
  /** Seconds; by default ROTATION_SECONDS. */
  seconds?: number | undefined
}

export type RotationOutcome = 'replaced' | 'refused' | 'withdrawn'

/**
 * Result of a rotation. `withdrawn`: not verified in time, or superseded by another request (`rotation_superseded`).
 */
export interface RotationEnd {
  outcome: RotationOutcome
  code: string | null
  /** A sentence for the merchant. */
  reason: string | null
}

/** @throws Refusal integration_not_found, integration_inactive */
export async function rotationTarget(
  db: Database,
  { integrationId, merchantUuid }: { integrationId: string; merchantUuid?: string | undefined },
): Promise<RotationTarget> {
  const row = await db
    .selectFrom('integration')
    .select(['source', 'secret_type', 'external_identifier', 'status', 'merchant_uuid'])
    .where('integration_id', '=', integrationId)
    .executeTakeFirst()
  if (!row || (merchantUuid !== undefined && row.merchant_uuid !== merchantUuid)) throw integrationNotFound()
  refuseInactive(row.status)
  return {
    integrationId,
    source: row.source,
    secretType: row.secret_type as SecretType,
    externalIdentifier: row.external_identifier,
  }
}

/** @throws Refusal integration_not_found, integration_inactive */
export function renameIntegration(
  db: Database,
  {
    integrationId,
    merchantUuid,
    integrationName,
  }: Required<Pick<RotationRequest, 'integrationId' | 'integrationName'>> & {
    merchantUuid: string
  },
): Promise<void> {
  return inTransaction(db, async (trx) => {
    await lockIntegration(trx, integrationId, merchantUuid)
    await trx
      .updateTable('integration')
      .set({ integration_name: integrationName })
      .where('integration_id', '=', integrationId)
      .execute()
  })
}

/**
 * Stores the candidate, sealed, and requests its verification in the same transaction. An unverified earlier candidate
 * is withdrawn: the latest request wins, also after one whose process crashed.
 * @returns its id, and the outbox message to dispatch after the commit
 * @throws Refusal integration_not_found, integration_inactive
 */
export function requestRotation(
  db: Database,
  ring: KeyRing,
  request: RotationRequest,
): Promise<{ rotationId: string; outboxId: bigint }> {
  const { integrationId, seconds = ROTATION_SECONDS } = request
  const rotationId = uuidv7()
  return inTransaction(db, async (trx) => {
    await lockIntegration(trx, integrationId, request.merchantUuid)
    await withdraw(trx, sql`integration_id = ${integrationId}`, SUPERSEDED)
    await trx
      .insertInto('secret_rotation')
      .values({
        rotation_id: rotationId,
        integration_id: integrationId,
        credential_id: request.credentialId ?? null,
        integration_name: request.integrationName ?? null,
        secret_type: request.secretType,
        secret_sealed: seal(ring, JSON.stringify(request.secretPayload), sealContext.secretCandidate(rotationId)),
        expires_at: sql<Date>`now() + make_interval(secs => ${seconds})`,
      })
      .execute()
    return { rotationId, outboxId: await enqueue(trx, { kind: 'rotate_secret', payload: { rotationId } }) }
  })
}

/** Input of a rotation's workflow; null when the rotation is closed. */
export async function rotationSubject(
  db: Database,
  rotationId: string,
): Promise<{ integrationId: string; merchantUuid: string; source: string } | null> {
  const row = await db
    .selectFrom('secret_rotation as r')
    .innerJoin('integration as i', 'i.integration_id', 'r.integration_id')
    .select(['i.integration_id as integrationId', 'i.merchant_uuid as merchantUuid', 'i.source'])
    .where('r.rotation_id', '=', rotationId)
    .where('r.outcome', 'is', null)
    .where('r.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row ?? null
}

export interface OpenRotation {
  rotationId: string
  integrationId: string
  secretType: SecretType
  secretPayload: Record<string, unknown>
  integrationName: string | null
}

/** A rotation that is still open; null when it is closed, expired or missing. */
export async function loadRotation(db: Database, ring: KeyRing, rotationId: string): Promise<OpenRotation | null> {
  const row = await db
    .selectFrom('secret_rotation')
    .select(['integration_id', 'secret_type', 'secret_sealed', 'integration_name'])
    .where('rotation_id', '=', rotationId)
    .where('outcome', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  if (!row?.secret_sealed) return null
  return {
    rotationId,
    integrationId: row.integration_id,
    secretType: row.secret_type as SecretType,
    secretPayload: JSON.parse(open(ring, row.secret_sealed, sealContext.secretCandidate(rotationId))),
    integrationName: row.integration_name,
  }
}

/**
 * Closes an open rotation and erases its candidate.
 * @returns false when it was closed or expired before: the caller must not apply its result
 */
export async function endRotation(
  db: Database,
  rotationId: string,
  { outcome, code = null, reason = null }: { outcome: RotationOutcome; code?: string | null; reason?: string | null },
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<{ id: string }>`
      update secret_rotation set outcome = ${outcome}, secret_sealed = null, ended_at = now(),
        code = ${code}, reason = ${reason}
      where rotation_id = ${rotationId} and outcome is null
        and (expires_at > now() or ${outcome} = 'withdrawn') returning rotation_id as id`.execute(trx)
    await recordRotationEnds(trx, rows)
    return rows.length > 0
  })
}

/**
 * Waits for the result of a rotation. An expired rotation is withdrawn here, so that it can't take effect after the
 * client has its response.
 */
export async function awaitRotation(db: Database, rotationId: string): Promise<RotationEnd> {
  for (;;) {
    const row = await db
      .selectFrom('secret_rotation')
      .select(['outcome', 'code', 'reason'])
      .select(sql<boolean>`expires_at <= now()`.as('over'))
      .where('rotation_id', '=', rotationId)
      .executeTakeFirstOrThrow()
    if (row.outcome !== null) return { outcome: row.outcome as RotationOutcome, code: row.code, reason: row.reason }
    if (row.over) await endRotation(db, rotationId, { outcome: 'withdrawn' })
    else await sleep(POLL_EVERY_MS)
  }
}

/**
 * The sweep: withdraws expired candidates, erases the verification secrets of past overlaps, and deletes old rotations.
 * @returns how many secrets were erased
 */
export async function sweepRotations(db: Database): Promise<number> {
  const withdrawn = await inTransaction(db, (trx) => withdraw(trx, sql`expires_at <= now()`))
  const erased = await sql`
    delete from kept_verification k where accepted_until <= now() or exists (
      select from integration i where i.integration_id = k.integration_id and i.status = 'INACTIVE')`.execute(db)
  await sql`
    delete from secret_rotation r where ended_at < now() - make_interval(days => ${REMEMBERED_DAYS})
      and not exists (select from kept_verification k where k.rotation_id = r.rotation_id)`.execute(db)
  return withdrawn + Number(erased.numAffectedRows ?? 0n)
}

/** Every transaction of a rotation locks the integration's row first. */
async function lockIntegration(trx: Database, integrationId: string, merchantUuid: string | undefined): Promise<void> {
  const row = await trx
    .selectFrom('integration')
    .select(['status', 'merchant_uuid'])
    .where('integration_id', '=', integrationId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (!row || (merchantUuid !== undefined && row.merchant_uuid !== merchantUuid)) throw integrationNotFound()
  refuseInactive(row.status)
}

function refuseInactive(status: string): void {
  if ((status as IntegrationStatus) === 'INACTIVE')
    throw new Refusal(
      'invalid',
      'integration_inactive',
      'The integration is INACTIVE, which is final: connect it anew.',
    )
}
