import { sql } from 'kysely'
import { allowedDataPoints } from '../../domain/accounts/account-settings.ts'
import { type DataPoints, mergeDataPoints, presentDataPoints } from '../../domain/data-points.ts'
import type { Database } from '../core/connect.ts'
import { Refusal } from '../core/refusal.ts'
import { type KeyRing, seal, sealContext } from '../core/seal.ts'
import { inTransaction } from '../core/transaction.ts'
import { personHashes } from '../erasure/persons.ts'
import { openClientData } from './chargeback-data.ts'
import { chargebackNotFound } from './chargebacks.ts'
import { refreshChargebackData } from './refresh-data.ts'

/** Limits per chargeback: number of names, and characters of all data points as JSON. */
const MAX_NAMES = 500
const MAX_CHARACTERS = 1_048_576
/** The PSP or the card scheme has decided: further data has no effect. */
const FINAL = new Set(['won', 'lost', 'split', 'not_applicable', 'evidence_not_submitted_by_psp'])

export interface GivenDataPoints {
  merchantUuid: string
  chargebackId: string
  credentialId: string
  /** Validated, except against the account's list of allowed names. */
  points: DataPoints
  now: Date
  /** Set when the source is not a client; the account's list restricts clients only. */
  source?: string
}

/**
 * Merges a client's data points into those of a chargeback and decides the chargeback again.
 * @throws Refusal chargeback_not_found, validation_failed, evidence_submission_exists, outcome_final,
 * too_many_data_points
 */
export function changeDataPoints(db: Database, ring: KeyRing, given: GivenDataPoints): Promise<void> {
  const { merchantUuid, chargebackId, points, source = 'api' } = given
  return inTransaction(db, async (trx) => {
    const stored = await lock(trx, given)
    if (source === 'api') refuseUnlisted(allowedDataPoints(stored.settings), points)
    if (stored.submitting)
      throw new Refusal(
        'invalid',
        'evidence_submission_exists',
        'Evidence submission has started: data points cannot change any more.',
      )
    if (stored.accepted || FINAL.has(stored.pspStatus))
      throw new Refusal('invalid', 'outcome_final', 'The outcome is final: data points cannot change any more.')

    const merged = mergeDataPoints(stored.sealed ? openClientData(ring, chargebackId, stored.sealed) : {}, points)
    const text = JSON.stringify(merged)
    if (Object.keys(merged).length > MAX_NAMES || text.length > MAX_CHARACTERS)
      throw new Refusal(
        'invalid',
        'too_many_data_points',
        `A chargeback keeps at most ${MAX_NAMES} data points and 1 MB of them.`,
      )
    const columns = {
      data_points: presentDataPoints(merged),
      sealed: seal(ring, text, sealContext.clientData(chargebackId)),
      persons: personHashes(ring, text),
      updated_at: sql<Date>`now()`,
    }
    await trx
      .insertInto('client_data')
      .values({ chargeback_id: chargebackId, merchant_uuid: merchantUuid, ...columns })
      .onConflict((conflict) => conflict.column('chargeback_id').doUpdateSet(columns))
      .execute()
    await refreshChargebackData(trx, ring, [chargebackId], {
      now: given.now,
      source,
      what: 'data points changed',
      cause: { names: Object.keys(points).sort(), credentialId: given.credentialId },
      touched: [chargebackId],
    })
  })
}

interface Stored {
  pspStatus: string
  accepted: boolean
  submitting: boolean
  sealed: string | null
  settings: Record<string, unknown>
}

/** Two statements: the read after the lock sees what the previous change committed. */
async function lock(db: Database, { merchantUuid, chargebackId }: GivenDataPoints): Promise<Stored> {
  await sql`select from chargeback where merchant_uuid = ${merchantUuid} and id = ${chargebackId} for no key update`.execute(
    db,
  )
  const { rows } = await sql<Stored>`
    select c.psp_status as "pspStatus", d.sealed, a.settings,
      coalesce(k.kind = 'acceptance' and k.status = 'succeeded', false) as accepted,
      coalesce(k.kind = 'evidence_submission', false) as submitting
    from chargeback c
    join merchant m on m.merchant_uuid = c.merchant_uuid join account a on a.account_id = m.account_id
    left join client_data d on d.chargeback_id = c.id
    left join command k on k.chargeback_id = c.id and k.round = c.round and k.status <> 'failed'
    where c.merchant_uuid = ${merchantUuid} and c.id = ${chargebackId}`.execute(db)
  const [stored] = rows
  if (!stored) throw chargebackNotFound()
  return stored
}

function refuseUnlisted(allowed: readonly string[] | null, points: DataPoints): void {
  const others = allowed ? Object.keys(points).filter((name) => !allowed.includes(name)) : []
  if (others.length > 0)
    throw new Refusal(
      'invalid',
      'validation_failed',
      others.map((name) => `${name}: Is not one of the account's data points`).join('; '),
    )
}
