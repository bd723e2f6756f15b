import { type RawBuilder, sql } from 'kysely'
import { type AutomaticPolicy, automaticPolicy } from '../../domain/evidence/package/automatic-policy.ts'
import type { AutomaticFacts } from '../../domain/evidence/package/blockers.ts'
import type { SecretType, Source } from '../../domain/integration.ts'
import { ANSWERED_ELSEWHERE } from '../commands/commands.ts'
import type { Database } from '../core/connect.ts'
import { inScope } from '../core/scope.ts'
import { DRY_RUNS_SINCE } from '../evidence/dry-runs.ts'
import { STALE } from './wanted.ts'

/** A chargeback as the automatic submission sees it. */
export interface AutomaticCase {
  chargebackId: string
  merchantUuid: string
  psp: string
  source: Source
  secretType: SecretType
  round: number
  /** Due date in Postgres' text form, because a `Date` has milliseconds. */
  dueText: string | null
  /** Of the package. */
  packageId: string | null
  fileId: string | null
  facts: AutomaticFacts
  policy: AutomaticPolicy
}

type Row = Omit<AutomaticFacts, 'built'> &
  Omit<AutomaticCase, 'facts' | 'policy'> & {
    built: AutomaticFacts['built']
    ofAccount: unknown
    ofMerchant: unknown
  }

/** The mode that applies to merchant `m` of account `a`. */
const MODE = sql<string>`coalesce(m.automatic_submission ->> 'mode', a.settings -> 'automaticSubmission' ->> 'mode')`

/** The client has made a dry run with a file of its own within a day: it prepares its own evidence. */
const CLIENT_FILE = sql<boolean>`exists (select from evidence_plan e
  cross join lateral (select origin from file where file_id = e.file_id limit 1) f
  where e.chargeback_id = c.id and e.requested_at > ${DRY_RUNS_SINCE} and f.origin = 'uploaded')`

/** @param which a table `c` of chargebacks, and what follows after it. Each is looked up row by row, also without statistics. */
const cases = (which: { from: RawBuilder<unknown>; rest: RawBuilder<unknown> }) => sql<Row>`
  select c.id as "chargebackId", c.merchant_uuid as "merchantUuid", c.psp, i.source, i.secret_type as "secretType", c.round,
    c.status, c.psp_status as "pspStatus", c.lifecycle_stage as "lifecycleStage", c.due_date as "dueDate",
    c.due_date::text as "dueText", c.currency,
    c.amount_minor as "amountMinor", c.amount_exponent as "amountExponent", c.should_fight as "shouldFight",
    c.roi_recommendation as recommendation, i.status as "integrationStatus", c.automatic_hold as held,
    exists (select from command k where k.chargeback_id = c.id and k.round = c.round) as "hasCommand",
    ${ANSWERED_ELSEWHERE} as "answeredElsewhere", ${CLIENT_FILE} as "hasClientFile", ${STALE} as stale,
    p.package_id as "packageId", p.file_id as "fileId",
    case when p.package_id is not null then json_build_object('refused', p.state = 'refused', 'play', p.play, 'completeness', p.completeness,
      'requiredMissing', p.required_missing, 'contradicted', p.contradicted, 'manualOnly', p.manual_only) end as built,
    m.of_account as "ofAccount", m.automatic_submission as "ofMerchant"
  from ${which.from}
  cross join lateral (
    select m.automatic_submission, a.settings -> 'automaticSubmission' as of_account
    from merchant m join account a on a.account_id = m.account_id where m.merchant_uuid = c.merchant_uuid limit 1) m
  cross join lateral (
    select source, secret_type, status from integration where integration_id = c.integration_id limit 1) i
  left join lateral (
    select * from evidence_package where chargeback_id = c.id and round = c.round and state in ('current', 'refused')
    limit 1) p on true
  ${which.rest}`

function toCase({ built, ofAccount, ofMerchant, ...row }: Row): AutomaticCase {
  const { chargebackId, merchantUuid, psp, source, secretType, round, dueText, packageId, fileId, ...facts } = row
  const about = { chargebackId, merchantUuid, psp, source, secretType, round, dueText, packageId, fileId }
  return { ...about, facts: { ...facts, built }, policy: automaticPolicy(ofAccount, ofMerchant) }
}

/** The connection through which a dispute is answered may be another tenant's. */
const ofAnyTenant = <T>(read: () => T): T => inScope('system', read)

/** One chargeback, whatever its policy; null when the merchant has none with this id. */
export async function readAutomaticCase(
  db: Database,
  { merchantUuid, chargebackId }: { merchantUuid: string; chargebackId: string },
): Promise<AutomaticCase | null> {
  const one = cases({
    from: sql`chargeback c`,
    rest: sql`where c.id = ${chargebackId} and c.merchant_uuid = ${merchantUuid}`,
  })
  const { rows } = await ofAnyTenant(() => one.execute(db))
  return rows[0] ? toCase(rows[0]) : null
}

/** Chargebacks of a merchant that wait for a response, the next due first; at most `limit`. */
export async function openCases(
  db: Database,
  { merchantUuid, now, limit }: { merchantUuid: string; now: Date; limit: number },
): Promise<AutomaticCase[]> {
  const due = sql`(case when due_date is null then 'infinity' else due_date end)`
  const open = cases({
    from: sql`(select * from chargeback
      where merchant_uuid = ${merchantUuid} and psp_status = 'needs_response' and merged_into is null
        and ${due} > ${now} and ${due} < 'infinity' order by ${due}, id limit ${limit}) c`,
    rest: sql`order by c.due_date, c.id`,
  })
  const { rows } = await ofAnyTenant(() => open.execute(db))
  return rows.map(toCase)
}

/** The policies of accounts and merchants that may submit automatically: the longest hours before the due date, or null. */
export async function longestAutomaticHours(db: Database): Promise<number | null> {
  const { rows } = await sql<{ ofAccount: unknown; ofMerchant: unknown }>`
    select distinct a.settings -> 'automaticSubmission' as "ofAccount", m.automatic_submission as "ofMerchant"
    from merchant m join account a on a.account_id = m.account_id where ${MODE} = 'auto'`.execute(db)
  const hours = rows.map(({ ofAccount, ofMerchant }) => automaticPolicy(ofAccount, ofMerchant).hoursBeforeDue)
  return hours.length > 0 ? Math.max(...hours) : null
}

/** The next due date, and the last id with it, of a slice. */
export interface AutomaticPlace {
  dueText: string
  chargebackId: string
}

/**
 * Chargebacks with an automatic policy that are due within so many hours and have no command in their round, in the order of
 * due dates.
 */
export async function automaticCases(
  db: Database,
  { now, hours, after, limit }: { now: Date; hours: number; after: AutomaticPlace | null; limit: number },
): Promise<AutomaticCase[]> {
  const place = after
    ? sql`and (c.due_date, c.id) > (${after.dueText}::timestamptz, ${after.chargebackId}::uuid)`
    : sql``
  const { rows } = await sql<Row>`
    with automatic as materialized (
      select m.merchant_uuid from merchant m join account a on a.account_id = m.account_id where ${MODE} = 'auto'
    ), due as materialized (
      select d.id, d.due_date from automatic cross join lateral (
        select c.id, c.due_date from chargeback c
        where c.merchant_uuid = automatic.merchant_uuid and c.status = 'building_evidence' and c.merged_into is null
          and c.due_date > ${now} and c.due_date <= ${now}::timestamptz + make_interval(hours => ${hours}::int)
          and not coalesce((select true from command k where k.chargeback_id = c.id and k.round = c.round limit 1), false)
          ${place}
        order by c.due_date, c.id limit ${limit}) d
      order by d.due_date, d.id limit ${limit}
    ) ${cases({
      from: sql`due cross join lateral (select * from chargeback where id = due.id limit 1) c`,
      rest: sql`order by due.due_date, due.id`,
    })}`.execute(db)
  return rows.map(toCase)
}

/** Tells once in a round what prevents the submission. @returns false when it was told before */
export async function tellBlocked(
  db: Database,
  { chargebackId, round }: Pick<AutomaticCase, 'chargebackId' | 'round'>,
  about: { blockedBy: readonly string[]; at: string },
): Promise<boolean> {
  const { rows } = await sql`
    with told as (
      update chargeback set automatic_told_round = ${round}
      where id = ${chargebackId} and round = ${round} and automatic_told_round is distinct from ${round}
      returning merchant_uuid, id
    )
    insert into timeline_event (merchant_uuid, chargeback_id, source, what, after)
    select merchant_uuid, id, 'automation', 'automatic submission blocked', ${JSON.stringify(about)}::jsonb from told
    returning 1`.execute(db)
  return rows.length > 0
}

/**
 * Holds one chargeback back from automatic submission, or releases it, with author and timeline row. The same again changes
 * nothing. @returns false when the merchant has no chargeback with this id
 */
export async function holdAutomatic(
  db: Database,
  asked: { merchantUuid: string; chargebackId: string; hold: boolean; credentialId: string },
): Promise<boolean> {
  const { merchantUuid, chargebackId, hold, credentialId } = asked
  const { rows } = await sql<{ held: boolean }>`
    select automatic_hold as held from chargeback
    where id = ${chargebackId} and merchant_uuid = ${merchantUuid} for no key update`.execute(db)
  if (!rows[0]) return false
  if (rows[0].held === hold) return true
  await sql`
    with told as (
      insert into timeline_event (merchant_uuid, chargeback_id, source, what, after)
      values (${merchantUuid}, ${chargebackId}, 'api', case when ${hold} then 'automatic submission held' else 'automatic submission released' end,
        ${JSON.stringify({ credentialId })}::jsonb)
    )
    update chargeback set automatic_hold = ${hold} where id = ${chargebackId} and merchant_uuid = ${merchantUuid}`.execute(
    db,
  )
  return true
}
