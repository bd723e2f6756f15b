import { type RawBuilder, sql } from 'kysely'
import { asRead } from '../chargebacks/timeline.ts'
import type { Database } from '../core/connect.ts'
import { BY_DELIVERY } from '../webhooks/disabled.ts'

export const AUDIT_SUBJECTS = ['chargeback', 'integration', 'webhook_endpoint', 'merchant'] as const
export type AuditSubject = (typeof AUDIT_SUBJECTS)[number]

/** One thing that a client, a person at the console, or the operator did. */
export interface AuditEntry {
  at: Date
  by: 'client' | 'operator'
  /** The client's credential, where it was recorded. */
  credentialId: string | null
  /** Of the credential, where the merchant may read it. */
  credentialName: string | null
  what: string
  subject: AuditSubject
  subjectId: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  place: AuditPlace
}

/** Where an entry is in the order. */
export interface AuditPlace {
  /** Its time as Postgres prints it. */
  key: string
  /** Unique over all trails. */
  id: string
}

export interface AuditFilter {
  merchantUuid: string
  since?: Date | undefined
  credentialId?: string | undefined
  subject?: AuditSubject | undefined
  /** 1 to 101. */
  limit: number
  /** Only what comes after that entry. */
  after?: AuditPlace | undefined
}

interface Trail {
  subjects: readonly AuditSubject[]
  at: RawBuilder<unknown>
  /** Unique over all trails. */
  id: RawBuilder<unknown>
  credential: RawBuilder<unknown>
  /** by, what, subject, subject's id, before, after, currency, exponent */
  columns: RawBuilder<unknown>
  from: (merchantUuid: string) => RawBuilder<unknown>
}

const asUuid = (text: RawBuilder<unknown>) =>
  sql`case when ${text} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (${text})::uuid end`
const NONE = sql`null::jsonb`
const NO_MONEY = sql`null::text, null::smallint`

/**
 * Newest first, each by an index of its own. What PSPs change, and what
 * follows from an act, is in the timelines of chargebacks only.
 */
const TRAILS: readonly Trail[] = [
  {
    subjects: ['chargeback'],
    at: sql`t."when"`,
    id: sql`'t' || t.timeline_event_id`,
    credential: asUuid(sql`t.after ->> 'credentialId'`),
    columns: sql`case t.source when 'operator' then 'operator' else 'client' end, t.what, 'chargeback', t.chargeback_id,
      t.before, t.after, c.currency, c.amount_exponent`,
    from: (merchantUuid) => sql`timeline_event t join chargeback c on c.id = t.chargeback_id
      where t.merchant_uuid = ${merchantUuid} and t.source in ('api', 'operator')
        and t.what not in ('status changed', 'assessment changed')`,
  },
  {
    subjects: ['integration', 'merchant'],
    at: sql`t.at`,
    id: sql`'p' || t.position`,
    credential: sql`t.credential_id`,
    columns: sql`'client', t.what, case when t.subject is null then 'merchant' else 'integration' end,
      coalesce(t.subject, t.merchant_uuid), ${NONE}, t.details, ${NO_MONEY}`,
    from: (merchantUuid) => sql`setting_event t where t.merchant_uuid = ${merchantUuid}`,
  },
  {
    subjects: ['integration'],
    at: sql`t.saved_at`,
    id: sql`'s' || t.integration_id || t.version`,
    credential: sql`t.credential_id`,
    columns: sql`'client', 'out-of-scope rules saved', 'integration', t.integration_id, ${NONE}, t.rules, ${NO_MONEY}`,
    from: (merchantUuid) => sql`scope_version t join integration i on i.integration_id = t.integration_id
      where i.merchant_uuid = ${merchantUuid} and t.credential_id is not null`,
  },
  {
    subjects: ['integration'],
    at: sql`t.ended_at`,
    id: sql`'r' || t.rotation_id`,
    credential: sql`t.credential_id`,
    columns: sql`case when t.credential_id is null then 'operator' else 'client' end, 'new secret ' || t.outcome, 'integration',
      t.integration_id, ${NONE}, case when t.code is not null then jsonb_build_object('code', t.code) end, ${NO_MONEY}`,
    from: (merchantUuid) => sql`secret_rotation t join integration i on i.integration_id = t.integration_id
      where i.merchant_uuid = ${merchantUuid} and t.ended_at is not null`,
  },
  {
    subjects: ['webhook_endpoint'],
    at: sql`t.at`,
    id: sql`'w' || t.position`,
    credential: asUuid(sql`t.actor`),
    columns: sql`case when ${asUuid(sql`t.actor`)} is null then 'operator' else 'client' end, 'endpoint ' || t.what,
      'webhook_endpoint', t.endpoint_id, ${NONE}, t.details, ${NO_MONEY}`,
    from: (merchantUuid) => sql`webhook_endpoint_event t join webhook_endpoint e on e.endpoint_id = t.endpoint_id
      where e.merchant_uuid = ${merchantUuid} and t.actor <> ${BY_DELIVERY}`,
  },
]

type Row = Omit<AuditEntry, 'place'> & { atText: string; id: string; currency: string | null; exponent: number | null }

/** What was done for a merchant, newest first, over chargebacks and settings. */
export async function readAudit(db: Database, filter: AuditFilter): Promise<AuditEntry[]> {
  const { merchantUuid, since, credentialId, subject, limit, after } = filter
  const asked = TRAILS.filter(({ subjects }) => subject === undefined || subjects.includes(subject))
  const part = ({ at, id, credential, columns, from }: Trail) => {
    const rules = [
      since && sql`${at} >= ${since}`,
      credentialId && sql`${credential} = ${credentialId}`,
      // The time alone first: that is what the index has.
      after && sql`${at} <= ${after.key}::timestamptz and (${at}, ${id}) < (${after.key}::timestamptz, ${after.id})`,
    ].filter((rule) => rule !== undefined && rule !== '')
    return sql`(select ${at} as at, ${id} as id, ${credential} as credential_id, ${columns} from ${from(merchantUuid)}
      ${rules.length > 0 ? sql`and ${sql.join(rules, sql` and `)}` : sql``}
      order by ${at} desc, ${id} desc limit ${limit})`
  }
  const { rows } = await sql<Row>`
    select a.at, a.at::text as "atText", a.id, a.by, a.credential_id as "credentialId", k.name as "credentialName", a.what,
      a.subject, a.subject_id as "subjectId", a.before, a.after, a.currency, a.exponent
    from (${sql.join(asked.map(part), sql` union all `)})
      a(at, id, credential_id, by, what, subject, subject_id, before, after, currency, exponent)
    left join credential k on k.credential_id = a.credential_id
    where ${subject ?? null}::text is null or a.subject = ${subject ?? null}
    order by a.at desc, a.id desc limit ${limit}`.execute(db)
  return rows.map(({ atText, id, currency, exponent, before, after: changed, ...row }) => {
    const shown = (values: AuditEntry['after']) =>
      values && currency !== null && exponent !== null ? asRead(values, { currency, exponent }) : values
    return { ...row, before: shown(before), after: shown(changed), place: { key: atText, id } }
  })
}
