import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { IntegrationStatus, SecretType, Source } from '../../domain/integration.ts'
import type { Database } from '../core/connect.ts'
import { enqueue } from '../core/outbox.ts'
import { integrationNotFound, Refusal } from '../core/refusal.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { recordRotationEnds, SUPERSEDED, withdraw } from '../rotation-trail.ts'

/** Seconds after which a candidate secret without a verdict is withdrawn. The client waits as long for its response. */
export const ROTATION_SECONDS = 20

/** How often a caller that waits looks. */
const LOOK_EVERY_MS = 100

/** Days that ended rotations are remembered: who replaced which secret when, and what was refused. No secret is in them. */
const REMEMBERED_DAYS = 90

/** What a new secret is checked against before anything is stored. */
export interface RotationTarget {
  integrationId: string
  source: Source
  secretType: SecretType
  externalIdentifier: string
}

export interface RotationRequest {
  integrationId: string
  /** Undefined: an operator, for whichever merchant. */
  merchantUuid?: string | undefined
  /** Changes together with the secret, or not at all. */
  integrationName?: string | undefined
  secretType: SecretType
  /** As the client sent it; stored sealed. */
  secretPayload: Record<string, unknown>
  credentialId?: string | undefined
  /** Seconds; ROTATION_SECONDS unless given. */
  seconds?: number | undefined
}

export type RotationOutcome = 'replaced' | 'refused' | 'withdrawn'

/** The end of a rotation. `withdrawn`: no verdict in time, or another request took its place (`rotation_superseded`). */
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
 * Keeps the candidate, sealed, and asks for its verdict in the same transaction. A candidate that still waits is
 * withdrawn: the latest request counts, also after one whose process died.
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

/** What a rotation is about, for its run; null when nobody waits for it any more. */
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

/** A rotation that still waits for its verdict; null when it has ended, its time is over or there is none. */
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
 * Ends a rotation that is still open, and erases its candidate.
 * @returns false when it had ended before, or its time was over: then nothing may follow from it
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
 * Waits for what becomes of a rotation. When its time is over without a verdict it is withdrawn here, so that nothing
 * follows from it after the client has been answered.
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
    else await sleep(LOOK_EVERY_MS)
  }
}

/**
 * The sweep: candidates whose time is over are withdrawn, what verified notifications during an overlap that is over is
 * erased, rotations of long ago are forgotten.
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

/** The integration's row comes first, in every transaction of a rotation. */
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
