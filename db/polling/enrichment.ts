import { sql } from 'kysely'
import type { EvidenceSignal } from '../../domain/assessment/defaults.ts'
import type { Decided, ScopeDecision } from '../../domain/decision.ts'
import { type ColumnName, columnOf, inTimeline } from '../chargebacks/column-sql.ts'
import { JOINED_OF_WRITTEN } from '../chargebacks/joined-transactions.ts'
import { refreshChargebackData } from '../chargebacks/refresh-data.ts'
import { COMMAND_OF_ROUND, COMMAND_STATE } from '../commands/command-state.ts'
import type { Database } from '../core/connect.ts'
import type { KeyRing } from '../core/seal.ts'
import { storeRaw } from '../erasure/kept-texts.ts'
import { requestIfRulesChanged } from '../scope-rules/scope-runs.ts'
import { type Joinable, lockedFirst } from './page-locks.ts'

export interface WithoutContext extends Decided {
  id: string
  psp: string
  reference: string
  sealed: string
  reasonCode: string | null
  reason: string | null
  cardScheme: string | null
  paymentMethod: string | null
  amountMinor: bigint
  amountExponent: number
  currency: string
  postingDate: Date | null
  dueDate: Date | null
  present: string[]
  /** Names of data points set by the client. */
  dataPoints: string[]
  signals: EvidenceSignal[]
  attempts: number
  /** When the transaction is tried to be read next; changes if news of it arrive. */
  contextAfter: string
  version: bigint
}

/** Chargebacks whose transaction was not read yet and is due for a try: open ones first, by due date. */
export async function findWithoutContext(
  db: Database,
  integrationId: string,
  limit: number,
): Promise<WithoutContext[]> {
  const { rows } = await sql<WithoutContext>`
    select c.id, c.psp, c.chargeback_id as reference, r.sealed, c.status, c.status_reason as "statusReason",
      c.psp_status as "pspStatus", c.lifecycle_stage as "lifecycleStage", c.round, c.reason_code as "reasonCode", c.reason,
      c.card_scheme as "cardScheme", c.payment_method as "paymentMethod", c.amount_minor as "amountMinor", c.amount_exponent as "amountExponent",
      c.currency, c.posting_date as "postingDate", c.due_date as "dueDate", c.should_fight as "shouldFight",
      c.win_probability::float8 as "winProbability", c.roi_recommendation as recommendation, ${COMMAND_STATE},
      array_remove(array[case when bin is not null then 'bin' end, case when arn is not null then 'arn' end,
        case when billing_country is not null then 'billingCountry' end,
        case when card_last_four_digits is not null then 'cardLastFourDigits' end,
        case when transaction_created_date is not null then 'transactionCreatedDate' end], null) as present, c.data_points as "dataPoints", c.signals,
      c.context_attempts as attempts, c.context_after::text as "contextAfter", c.version
    from chargeback c ${COMMAND_OF_ROUND}
    join raw_object r on r.integration_id = c.integration_id and r.kind = 'dispute' and r.reference = c.chargeback_id
    where c.integration_id = ${integrationId} and c.context_at is null and c.context_after <= now()
    order by (c.psp_status = 'needs_response') desc, c.due_date, c.id limit ${limit}`.execute(db)
  return rows
}

export async function hasDueContext(db: Database, integrationId: string): Promise<boolean> {
  const row = await db
    .selectFrom('chargeback')
    .select('id')
    .where('integration_id', '=', integrationId)
    .where('context_at', 'is', null)
    .where('context_after', '<=', sql<Date>`now()`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Columns that enrichment may fill. A null keeps the stored value; the dispute's own facts take precedence. */
export interface ContextColumns {
  id: string
  /** The version that the decision is based on. */
  version: string
  transaction_id: string | null
  transaction_created_date: string | null
  arn: string | null
  card_scheme: string | null
  payment_method: string | null
  bin: string | null
  card_last_four_digits: string | null
  billing_country: string | null
  /** Names of the data points that the PSP's transaction provides. */
  context_points: string[]
  enrichment_ratio: number
  reason_group: string
  status: string
  status_reason: string
  win_probability: number | null
  roi_recommendation: string | null
  scope_decision: ScopeDecision | null
}

/** Columns of a chargeback that clients see and enrichment may change. */
const VISIBLE = [...inTimeline('details'), ...inTimeline('assessment')]
/** Free text may name a person, and timeline rows are never deleted: reported by name only. */
const FREE_TEXT = inTimeline('name only')
const pairs = (names: readonly ColumnName[]) => sql`
  unnest(${names.map((name) => columnOf(name).column)}::text[], ${names}::text[]) as f(field, name)
  where old -> f.field is distinct from new -> f.field`
/** The values that differ between the rows `old` and `new`, from one of them. */
const changed = (side: 'old' | 'new') => sql`(
  select coalesce(jsonb_object_agg(f.name, ${sql.ref(side)} -> f.field), '{}')
  from ${pairs(VISIBLE)})`

const joinable = ({ id, transaction_id: transactionId, arn }: ContextColumns): Joinable => ({
  ...{ id, transactionId, externalTransactionIdentifier: null, arn },
})

/** Stores a slice of transaction contexts in one transaction with a constant number of statements. */
export async function writeContexts(
  db: Database,
  ring: KeyRing,
  integrationId: string,
  slice: {
    contexts: ContextColumns[]
    raw: { reference: string; text: string }[]
    /** The PSP. */
    source: string
    rulesVersion: number
    now: Date
  },
): Promise<number> {
  const { contexts, raw, source, rulesVersion, now } = slice
  if (contexts.length === 0) return 0
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ count: number; joined: string[] }>`
      with r as (
        select * from json_to_recordset(${JSON.stringify(contexts)}::json) as r(id uuid, version bigint,
          transaction_id text, transaction_created_date timestamptz, arn text, card_scheme text, payment_method text,
          bin text, card_last_four_digits text, billing_country text, context_points text[], enrichment_ratio numeric,
          reason_group text, status text, status_reason text, win_probability numeric, roi_recommendation text,
          scope_decision jsonb)
      ), ${lockedFirst(integrationId, contexts.map(joinable))}, before as (
        select c.id, c.status, to_jsonb(c) as old from locked join chargeback c using (id)
      ), written as (
        update chargeback c set
          transaction_id = coalesce(c.transaction_id, r.transaction_id),
          transaction_created_date = coalesce(c.transaction_created_date, r.transaction_created_date),
          arn = coalesce(c.arn, r.arn), card_scheme = coalesce(c.card_scheme, r.card_scheme),
          payment_method = coalesce(r.payment_method, c.payment_method), bin = coalesce(c.bin, r.bin),
          card_last_four_digits = coalesce(c.card_last_four_digits, r.card_last_four_digits),
          billing_country = coalesce(c.billing_country, r.billing_country), context_points = r.context_points,
          data_points = array(select distinct unnest(c.data_points || r.context_points) order by 1),
          enrichment_ratio = r.enrichment_ratio, reason_group = r.reason_group, status = r.status,
          status_reason = r.status_reason, win_probability = r.win_probability,
          roi_recommendation = r.roi_recommendation, scope_decision = r.scope_decision, is_enriched = true, context_at = now(),
          version = c.version + 1, updated_at = now()
        from r join before using (id) where c.id = r.id and c.version = r.version
        returning c.merchant_uuid, c.id, before.status as was, c.status, c.status_reason, c.context_points,
          c.transaction_id, c.external_transaction_identifier, c.arn,
          before.old, to_jsonb(c) as new
      ), told as (
        insert into timeline_event (merchant_uuid, chargeback_id, source, what, before, after)
        select merchant_uuid, id, ${source}, 'enriched', ${changed('old')},
          ${changed('new')} || jsonb_build_object('dataPoints', context_points, 'fields', array(select f.name from ${pairs(FREE_TEXT)})) from written
        union all
        select merchant_uuid, id, ${source}, 'status changed', jsonb_build_object('status', was),
          jsonb_build_object('status', status, 'reason', status_reason) from written where was <> status
      ), ${requestIfRulesChanged(integrationId, rulesVersion)}
      select count(*)::int as count,
        ${JOINED_OF_WRITTEN} as joined
      from written`.execute(trx)
    await storeRaw(trx, ring, integrationId, 'context', raw)
    await refreshChargebackData(trx, ring, rows[0]?.joined ?? [], { now, source, what: 'transaction joined' })
    return rows[0]?.count ?? 0
  })
}

/**
 * The transaction could not be read: retry in an hour, two, four … at most a day. News of it that arrived meanwhile count
 * (`contextArrived`).
 */
export async function postponeContext(
  db: Database,
  tried: readonly Pick<WithoutContext, 'id' | 'contextAfter'>[],
): Promise<void> {
  if (tried.length === 0) return
  const rows = JSON.stringify(tried.map(({ id, contextAfter }) => ({ id, after: contextAfter })))
  await sql`
    update chargeback c set context_attempts = c.context_attempts + 1,
      context_after = now() + least(interval '1 day', interval '1 hour' * power(2, least(c.context_attempts, 5)))
    from (
      select c.id, tried.after from json_to_recordset(${rows}::json) as tried(id uuid, after timestamptz)
      join chargeback c on c.id = tried.id order by c.id for no key update of c
    ) tried where c.id = tried.id and c.context_after = tried.after`.execute(db)
}

/** News of these transactions arrived: chargebacks that wait for one are tried again at the next poll. */
export async function contextArrived(db: Database, integrationId: string, transactions: string[]): Promise<void> {
  if (transactions.length === 0) return
  await sql`
    update chargeback c set context_after = now() from (
      select c.id from integration i
      join chargeback c on c.integration_id = i.integration_id and c.merchant_uuid = i.merchant_uuid
      where i.integration_id = ${integrationId} and c.transaction_id = any(${transactions}::text[]) and c.context_at is null
      order by c.id for no key update of c
    ) waiting where c.id = waiting.id and c.context_at is null`.execute(db)
}
