import { sql } from 'kysely'
import type { CallRecord, EffectRecord } from '../../simulators/engine/contract.ts'
import type { AdapterName } from '../faults/testbed/psps.ts'
import { stateIn } from './notifications.ts'
import type { World } from './world.ts'

/** Rows of the service, and the ledger of the PSP. */
export interface View {
  /** ms */
  at: number
  chargebacks: ChargebackRow[]
  /** Oldest first. */
  commands: CommandRow[]
  timeline: { chargebackId: string; what: string; before: Words | null; after: Words | null }[]
  operations: { commandId: string; effect: string; state: string; outcome: string | null; idempotencyKey: string }[]
  effects: readonly EffectRecord[]
  calls: readonly CallRecord[]
  /** Whether the PSP accepts idempotency keys. */
  acceptsKeys: boolean
  source: AdapterName
}

type Words = Record<string, unknown>

export interface ChargebackRow {
  id: string
  /** The PSP's. */
  ref: string
  pspStatus: string
  stage: string
  status: string
  reason: string
  round: number
  shouldFight: boolean | null
  dueDate: Date | null
  ratio: number
}

export interface CommandRow {
  commandId: string
  chargebackId: string
  kind: 'acceptance' | 'evidence_submission'
  round: number
  status: 'created' | 'inProgress' | 'succeeded' | 'failed'
  fileId: string | null
  requestedAt: Date
  needsAttention: boolean
  error: string | null
}

export async function look({ db, engine, clock, subject }: World): Promise<View> {
  const [chargebacks, commands, timeline, operations] = await Promise.all([
    sql<ChargebackRow>`
      select id, chargeback_id as ref, psp_status as "pspStatus", lifecycle_stage as stage, status, status_reason as reason,
        round, should_fight as "shouldFight", due_date as "dueDate", enrichment_ratio::float8 as ratio
      from chargeback order by id`.execute(db),
    sql<CommandRow>`
      select k.command_id as "commandId", k.chargeback_id as "chargebackId", k.kind, k.round, k.status,
        e.file_id as "fileId", k.requested_at as "requestedAt", k.needs_attention as "needsAttention", k.error
      from command k left join evidence_submission e on e.command_id = k.command_id
      order by k.requested_at, k.command_id`.execute(db),
    sql<View['timeline'][number]>`
      select chargeback_id as "chargebackId", what, before, after from timeline_event order by timeline_event_id`.execute(
      db,
    ),
    sql<View['operations'][number]>`
      select command_id as "commandId", effect, state, outcome, idempotency_key as "idempotencyKey" from psp_operation
      order by effect`.execute(db),
  ])
  return {
    at: clock.now(),
    chargebacks: chargebacks.rows,
    commands: commands.rows,
    timeline: timeline.rows,
    operations: operations.rows,
    effects: engine.ledger.effects,
    calls: engine.ledger.calls,
    acceptsKeys: engine.profile.idempotencyHeader !== null,
    source: subject.simulator.source as AdapterName,
  }
}

/** Status and stage of the PSP's own dispute object, in the service's terms. */
export function truthOf({ engine, subject }: World, ref: string): string {
  const record = engine.find(ref)
  if (!record) return 'unknown'
  return stateIn(subject.definition, { reference: ref, text: engine.text(record) }) ?? 'unmappable'
}

/** The view in one line, without ids and times: the same life gives the same lines. */
export function summary({ chargebacks, commands, effects }: View): string {
  const cases = chargebacks.map(({ pspStatus, stage, status, round }) => `${pspStatus}/${stage}→${status}#${round}`)
  const asked = commands.map(
    ({ kind, round, status, needsAttention }) => `${kind}#${round}:${status}${needsAttention ? '!' : ''}`,
  )
  const done = effects.filter(({ kind }) => kind !== 'upload').map(({ kind, round }) => `${kind}#${round}`)
  return `${cases.join(' ')} | ${asked.join(' ')} | ${done.join(' ')}`
}
