import { sql } from 'kysely'
import { UNCONFIRMED_ACCOUNT } from '../../domain/dispute.ts'
import { openClientData } from '../chargebacks/chargeback-data.ts'
import { lockChargebacks } from '../chargebacks/chargebacks.ts'
import { changeDataPoints } from '../chargebacks/client-data.ts'
import { lockDispute } from '../commands/dispute-lock.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import type { KeyRing } from '../core/seal.ts'
import { readTime } from '../core/time.ts'
import { inTransaction } from '../core/transaction.ts'

/** A dispute that is stored more than once, from a version in which a PSP account could be connected twice. */
export interface DuplicateDispute {
  source: string
  pspAccount: string
  /** The PSP's id. */
  reference: string
  copies: DuplicateCopy[]
  /** Why `mergeDuplicates` can't merge it; null when it can. */
  blocked: string | null
}

export interface DuplicateCopy {
  chargebackId: string
  merchantUuid: string
  integrationId: string
  integrationStatus: string
  /** Has a command that is open or has succeeded. */
  answered: boolean
}

/** Disputes with more than one chargeback, at most `limit`, by the PSP's id. */
export async function duplicateDisputes(
  db: Database,
  { merchantUuid, reference, limit }: { merchantUuid?: string | undefined; reference?: string; limit: number },
): Promise<DuplicateDispute[]> {
  const { rows } = await sql<Omit<DuplicateDispute, 'blocked'>>`
    select i.source, c.psp_account as "pspAccount", c.chargeback_id as reference,
      json_agg(json_build_object('chargebackId', c.id, 'merchantUuid', c.merchant_uuid,
        'integrationId', c.integration_id, 'integrationStatus', i.status,
        'answered', exists (select from command k where k.chargeback_id = c.id and k.status <> 'failed'))
        order by i.status = 'INACTIVE', c.id) as copies
    from chargeback c join integration i on i.integration_id = c.integration_id
    where c.merged_into is null and c.psp_account <> ${UNCONFIRMED_ACCOUNT}
      and (${reference ?? null}::text is null or c.chargeback_id = ${reference ?? null})
    group by i.source, c.psp_account, c.chargeback_id
    having count(*) > 1 and (${merchantUuid ?? null}::uuid is null
      or bool_or(c.merchant_uuid = ${merchantUuid ?? null}::uuid))
    order by c.chargeback_id, c.psp_account limit ${limit}`.execute(db)
  return rows.map((row) => ({ ...row, blocked: blockedBy(row.copies) }))
}

/**
 * Both copies would still be polled, and the poll would revive the merged one. Two merchants must decide between them.
 */
function blockedBy(copies: DuplicateCopy[]): string | null {
  if (new Set(copies.map((one) => one.merchantUuid)).size > 1)
    return 'it belongs to more than one merchant: deactivate the integrations of all but one of them'
  const active = copies.filter((one) => one.integrationStatus !== 'INACTIVE')
  if (active.length > 1)
    return `deactivate all but one of the integrations ${active.map((one) => one.integrationId).join(', ')}`
  return null
}

/**
 * Keeps one chargeback of the dispute: that of the integration that is not INACTIVE, else the oldest. The others keep
 * their history, name the kept one in their timeline, leave every list, and accept no further commands. Data points
 * that only they have move to the kept one.
 * @returns ids of the kept chargeback and of those merged into it; null when there was nothing to merge
 */
export async function mergeDuplicates(
  db: Database,
  ring: KeyRing,
  { source, pspAccount, reference }: Pick<DuplicateDispute, 'source' | 'pspAccount' | 'reference'>,
): Promise<{ kept: string; merged: string[] } | null> {
  return inTransaction(db, async (trx) => {
    await lockDispute(trx, { source, reference })
    const found = (await duplicateDisputes(trx, { reference, limit: 1_000 })).find(
      (one) => one.source === source && one.pspAccount === pspAccount,
    )
    const [kept, ...others] = found && found.blocked === null ? found.copies : []
    if (!kept || others.length === 0) return null
    const merged = others.map((one) => one.chargebackId)
    await lockChargebacks(trx, [kept.chargebackId, ...merged])
    await keepDataPoints(trx, ring, kept, merged)
    await sql`
      with gone as (
        update chargeback c set merged_into = ${kept.chargebackId}, status = 'not_represented',
          status_reason = 'merged', reread_after = null, version = version + 1, updated_at = now()
        where c.id = any(${merged}) returning c.merchant_uuid, c.id
      )
      insert into timeline_event (merchant_uuid, chargeback_id, source, what, after)
      select merchant_uuid, id, 'operator', 'merged into another chargeback',
        jsonb_build_object('chargebackId', ${kept.chargebackId}::text) from gone
      union all
      select merchant_uuid, ${kept.chargebackId}, 'operator', 'merged with another chargeback',
        jsonb_build_object('chargebackId', id) from gone`.execute(trx)
    return { kept: kept.chargebackId, merged }
  })
}

/** Moves client data of the merged chargebacks where the kept one has no value. */
async function keepDataPoints(trx: Database, ring: KeyRing, kept: DuplicateCopy, merged: string[]): Promise<void> {
  const { rows } = await sql<{ chargebackId: string; sealed: string }>`
    select chargeback_id as "chargebackId", sealed from client_data
    where chargeback_id = any(${[...merged, kept.chargebackId]})`.execute(trx)
  const told = (id: string) => {
    const row = rows.find((one) => one.chargebackId === id)
    return row ? openClientData(ring, id, row.sealed) : {}
  }
  const points = Object.assign({}, ...merged.map(told), told(kept.chargebackId))
  if (Object.keys(points).length === 0) return
  const { merchantUuid, chargebackId } = kept
  try {
    await changeDataPoints(trx, ring, {
      ...{ merchantUuid, chargebackId, points, credentialId: 'operator' },
      ...{ now: await readTime(trx), source: 'operator' },
    })
  } catch (error) {
    // The kept chargeback is contested or decided: data points have no effect any more.
    if (!(error instanceof Refusal)) throw error
  }
}
