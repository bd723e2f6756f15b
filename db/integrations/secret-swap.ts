import { sql } from 'kysely'
import type { SecretType, Source } from '../../domain/integration.ts'
import type { Database } from '../core/connect.ts'
import { enqueue, enqueuePoll } from '../core/outbox.ts'
import { type KeyRing, open, seal, sealContext } from '../core/seal.ts'
import { recordVerdict } from './connections.ts'
import { endRotation } from './secret-rotations.ts'

/**
 * Hours after a replacement during which notifications signed with the old secret are still accepted. PSPs repeat a
 * delivery with its first signature, and a person has to change the webhook secret at the PSP.
 */
export const OVERLAP_HOURS = 24

export interface Swap {
  rotationId: string
  integration: { integrationId: string; source: Source; merchantUuid: string; secretSealed: string }
  integrationName: string | null
  secretType: SecretType
  secretPayload: Record<string, unknown>
  /** The part of the old secret that verifies notifications; null when the new secret verifies the same. */
  kept: Record<string, unknown> | null
  report: { pspAccount: string | null; findings: unknown[] }
  /** The PSP reports the integration's account for the first time: verification continues as after connecting. */
  newAccount: boolean
}

/**
 * Replaces the old secret by the new one in the caller's transaction, with status, schedule and the end of the
 * rotation. The cursor stays, so polls continue where they stopped.
 * @returns false when the rotation was withdrawn or the integration has changed meanwhile: nothing is written
 */
export async function swapSecret(trx: Database, ring: KeyRing, swap: Swap): Promise<boolean> {
  const { rotationId, integration, kept } = swap
  const { integrationId } = integration
  const { rows } = await sql<{ status: string; secretSealed: string }>`
    select status, secret_sealed as "secretSealed" from integration
    where integration_id = ${integrationId} for no key update`.execute(trx)
  const [row] = rows
  if (!row || row.status === 'INACTIVE' || row.secretSealed !== integration.secretSealed) return false
  if (!(await endRotation(trx, rotationId, { outcome: 'replaced' }))) return false
  await trx
    .updateTable('integration')
    .set({
      secret_type: swap.secretType,
      secret_sealed: seal(ring, JSON.stringify(swap.secretPayload), sealContext.integrationSecret(integration)),
      secret_replaced_at: sql`now()`,
      poll_error: null,
      ...(swap.integrationName !== null && { integration_name: swap.integrationName }),
    })
    .where('integration_id', '=', integrationId)
    .execute()
  if (kept)
    await trx
      .insertInto('kept_verification')
      .values({
        rotation_id: rotationId,
        integration_id: integrationId,
        sealed: seal(ring, JSON.stringify(kept), sealContext.keptVerification(rotationId)),
        accepted_until: sql<Date>`now() + make_interval(hours => ${OVERLAP_HOURS})`,
      })
      .execute()
  const working = row.status === 'SUCCESSFUL'
  if (swap.newAccount && !working) await awaitVerification(trx, integrationId)
  else {
    await recordVerdict(trx, integrationId, { status: 'SUCCESSFUL', reason: null, ...swap.report })
    await enqueue(trx, { kind: 'sync_schedule', payload: { integrationId } })
    await enqueuePoll(trx, integrationId)
  }
  // A check of the old secret may retry for hours: it would find the new secret and end.
  if (!working || swap.newAccount) await enqueue(trx, { kind: 'verify_integration', payload: { integrationId } })
  return true
}

async function awaitVerification(trx: Database, integrationId: string): Promise<void> {
  await trx
    .updateTable('integration')
    .set({ status: 'PENDING', status_reason: null, status_changed_at: sql`now()`, authentication_failures: 0 })
    .where('integration_id', '=', integrationId)
    .execute()
}

/** Whether the integration still has that secret; locks its row for the caller's transaction. */
export async function holdsSecret(trx: Database, integrationId: string, secretSealed: string): Promise<boolean> {
  const row = await trx
    .selectFrom('integration')
    .select('secret_sealed')
    .where('integration_id', '=', integrationId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row?.secret_sealed === secretSealed
}

/** Former verification secrets that are still accepted, newest first. */
export async function keptVerifications(
  db: Database,
  ring: KeyRing,
  integrationId: string,
): Promise<Record<string, unknown>[]> {
  const rows = await db
    .selectFrom('kept_verification')
    .select(['rotation_id', 'sealed'])
    .where('integration_id', '=', integrationId)
    .where('accepted_until', '>', sql<Date>`now()`)
    .orderBy('rotation_id', 'desc')
    .execute()
  return rows.map((row) => JSON.parse(open(ring, row.sealed, sealContext.keptVerification(row.rotation_id))))
}
