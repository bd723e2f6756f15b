import { sql } from 'kysely'
import type { DisputeRecord } from '../../../simulators/engine/contract.ts'
import type { DisputeEngine } from '../../../simulators/engine/engine.ts'
import type { Connected } from '../testbed/connected.ts'
import type { Testbed } from '../testbed/prepare.ts'

interface Row {
  id: string
  chargeback_id: string
  psp_status: string
  lifecycle_stage: string
  currency: string
  amount_minor: bigint
}

/** A dispute at the PSP, by the simulator's own tables and not by our translation. */
interface Truth {
  reference: string
  /** One word may stand for several of our statuses. */
  statuses: string[]
  stages: string[]
  currency: string
  amountMinor: bigint
}

/**
 * I1: our chargebacks are exactly the PSP's disputes, equal field by field. I9: sums by currency and status equal the
 * PSP's. I10: the timeline has one ingestion of each. Those in `refused` must be quarantined instead (I13).
 * @returns violations
 */
export async function ingestedTrue(
  testbed: Testbed,
  { adapter, account, integrationId }: Connected,
  refused: ReadonlySet<string> = new Set(),
): Promise<string[]> {
  const { rows, truths } = await bothSides(testbed, { adapter, account, integrationId }, refused)
  return [
    ...some(
      'I1',
      truths.flatMap((truth) => differences(truth, rows)),
    ),
    ...some('I1', strangers(rows, truths)),
    ...sums(rows, truths),
    ...some('I10', await ingestedOnce(testbed, integrationId, rows)),
    ...(await quarantined(testbed, integrationId, refused)),
  ]
}

/** I9 alone: sums by currency and status equal the PSP's. @returns violations */
export async function sumsOf(testbed: Testbed, connected: Connected): Promise<string[]> {
  const { rows, truths } = await bothSides(testbed, connected, new Set())
  return sums(rows, truths)
}

async function bothSides(
  testbed: Testbed,
  { adapter, account, integrationId }: Connected,
  refused: ReadonlySet<string>,
): Promise<{ rows: Row[]; truths: Truth[] }> {
  const rows = await testbed.stack.db
    .selectFrom('chargeback')
    .select(['id', 'chargeback_id', 'psp_status', 'lifecycle_stage', 'currency', 'amount_minor'])
    .where('integration_id', '=', integrationId)
    .execute()
  const engine = testbed.engines[adapter]
  const truths = engine
    .account(account)
    .disputes.all()
    .filter(({ reference }) => !refused.has(reference))
    .map((record) => truthOf(engine, record))
  return { rows, truths }
}

/** At most three examples. */
function some(invariant: string, sentences: string[]): string[] {
  const more = sentences.length > 3 ? [`${invariant}: and ${sentences.length - 3} more`] : []
  return [...sentences.slice(0, 3).map((sentence) => `${invariant}: ${sentence}`), ...more]
}

function truthOf(engine: DisputeEngine, record: DisputeRecord): Truth {
  const { reference, word, plan, text } = record
  const { profile } = engine
  const planned = plan && profile.situations[plan.situation]
  const known = profile.situations.filter((one) => one.word === word)
  // A dispute that has changed since then may be in another stage.
  const situations = text === null && planned ? known.filter(({ stage }) => stage === planned.stage) : known
  // Braintree retrievals ask for documents without a disputed amount.
  const free = Number(engine.read(record).amountDisputed) === 0
  return {
    reference,
    statuses: situations.map(({ status }) => status),
    stages: situations.map(({ stage }) => stage),
    currency: plan?.currency ?? '',
    amountMinor: BigInt(free ? 0 : (plan?.amount ?? 0)),
  }
}

function differences(truth: Truth, rows: readonly Row[]): string[] {
  const row = rows.find((one) => one.chargeback_id === truth.reference)
  if (!row) return [`${truth.reference} is not stored`]
  const wrong: string[] = []
  if (!truth.statuses.includes(row.psp_status))
    wrong.push(`${truth.reference} is ${row.psp_status} here, ${truth.statuses.join(' or ')} at the PSP`)
  if (!truth.stages.includes(row.lifecycle_stage))
    wrong.push(`${truth.reference} is in ${row.lifecycle_stage} here, in ${truth.stages.join(' or ')} at the PSP`)
  if (truth.currency !== row.currency || truth.amountMinor !== row.amount_minor)
    wrong.push(
      `${truth.reference} is about ${row.amount_minor} ${row.currency} here, ${truth.amountMinor} ${truth.currency} at the PSP`,
    )
  return wrong
}

function strangers(rows: readonly Row[], truths: readonly Truth[]): string[] {
  const known = new Set(truths.map(({ reference }) => reference))
  return rows.filter((row) => !known.has(row.chargeback_id)).map((row) => `${row.chargeback_id} is not the PSP's`)
}

function sums(rows: readonly Row[], truths: readonly Truth[]): string[] {
  const add = (all: Map<string, bigint>, key: string, amount: bigint) => all.set(key, (all.get(key) ?? 0n) + amount)
  const here = new Map<string, bigint>()
  for (const row of rows) add(here, `${row.psp_status} ${row.currency}`, row.amount_minor)
  const there = new Map<string, bigint>()
  for (const { reference, statuses, currency, amountMinor } of truths) {
    const ours = rows.find((row) => row.chargeback_id === reference)?.psp_status
    add(there, `${statuses.find((one) => one === ours) ?? statuses[0]} ${currency}`, amountMinor)
  }
  return [...new Set([...here.keys(), ...there.keys()])]
    .filter((key) => here.get(key) !== there.get(key))
    .slice(0, 3)
    .map((key) => `I9: ${key}: ${here.get(key) ?? 0n} here, ${there.get(key) ?? 0n} at the PSP`)
}

async function ingestedOnce({ stack }: Testbed, integrationId: string, rows: readonly Row[]): Promise<string[]> {
  const { rows: wrong } = await sql<{ chargeback_id: string; times: number }>`
    select c.chargeback_id, count(t.*)::int as times from chargeback c
    left join timeline_event t on t.chargeback_id = c.id and t.what = 'ingested'
    where c.integration_id = ${integrationId} group by c.id having count(t.*) <> 1`.execute(stack.db)
  return rows.length === 0 ? [] : wrong.map((one) => `${one.chargeback_id} was ingested ${one.times} times`)
}

async function quarantined({ stack }: Testbed, integrationId: string, refused: ReadonlySet<string>): Promise<string[]> {
  const kept = await stack.db
    .selectFrom('quarantine')
    .select(['reference', 'reason', 'sealed'])
    .where('integration_id', '=', integrationId)
    .execute()
  const missing = [...refused].filter((reference) => !kept.some((one) => one.reference === reference))
  return [
    ...missing.map((reference) => `I13: ${reference} is neither stored nor quarantined`),
    ...kept.filter((one) => !one.reason || !one.sealed).map(() => 'I13: quarantined without reason or bytes'),
    ...some(
      'I13',
      kept
        .filter((one) => !refused.has(String(one.reference)))
        .map((one) => `${one.reference} is quarantined: ${one.reason}`),
    ),
  ]
}
