import { sql } from 'kysely'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeDataPoints } from '../../../db/chargebacks/client-data.ts'
import { recomputeChargebacks } from '../../../db/chargebacks/recompute.ts'
import { decideShouldFight } from '../../../db/chargebacks/should-fight.ts'
import { requestAcceptance } from '../../../db/commands/acceptances.ts'
import { endCommand } from '../../../db/commands/command-ends.ts'
import { loadCommand } from '../../../db/commands/commands.ts'
import { saveScopeRules } from '../../../db/scope-rules/scope-settings.ts'
import { byOwner } from '../../harness/database.ts'
import { openPollingFixture } from './polling-fixture.ts'

/** Columns of a chargeback that a client can see, with their names in the timeline. */
const VISIBLE: Record<string, string> = {
  currency: 'currency',
  amount_minor: 'amount',
  posting_date: 'postingDate',
  transaction_created_date: 'transactionCreatedDate',
  due_date: 'dueDate',
  psp_status: 'pspStatus',
  status: 'status',
  status_reason: 'reason',
  lifecycle_stage: 'lifecycleStage',
  transaction_id: 'transactionId',
  arn: 'arn',
  external_transaction_identifier: 'externalTransactionIdentifier',
  merchant_reference_name: 'merchantReferenceName',
  reason_code: 'reasonCode',
  reason: 'reason',
  card_scheme: 'cardScheme',
  payment_method: 'paymentMethod',
  bin: 'bin',
  card_last_four_digits: 'cardLastFourDigits',
  billing_country: 'billingCountry',
  enrichment_ratio: 'enrichmentRatio',
  win_probability: 'winProbability',
  roi_recommendation: 'roiRecommendation',
  is_enriched: 'isEnriched',
  should_fight: 'shouldFight',
}

/** The timeline shows only their names, because free text may name a person. */
const FREE_TEXT = ['transactionId', 'arn', 'externalTransactionIdentifier', 'merchantReferenceName', 'reasonCode']

let workshop: Awaited<ReturnType<typeof openPollingFixture>>
beforeAll(async () => {
  workshop = await openPollingFixture()
  // A trigger records each change, regardless of its source.
  await byOwner(
    workshop.databaseUrl,
    sql`
    create table seen_change (id uuid, field text, value jsonb);
    grant all on seen_change to public;
    create function note_change() returns trigger language plpgsql as $$ begin
      insert into seen_change select new.id, n.key, n.value from jsonb_each(to_jsonb(new)) n
        where n.value is distinct from to_jsonb(old) -> n.key;
      return null;
    end $$;
    create trigger note_changes after update on chargeback for each row execute function note_change()`,
  )
})
afterAll(() => workshop[Symbol.asyncDispose]())

const spelled = (name: string, value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (name.endsWith('Date')) return new Date(String(value)).toISOString()
  return /^-?\d+(\.\d+)?$/.test(String(value)) ? String(Number(value)) : String(value)
}

describe('timeline', () => {
  test('has every change of a chargeback that a client can see, from every source', async () => {
    const { db, ring, clock } = workshop
    const account = 'acct_complete'
    const { disputes } = await workshop.control('POST', '/disputes', {
      account,
      count: 6,
      status: 'needs_response',
      stage: 'chargeback',
      dueInHours: 400,
    })
    const shop = await workshop.merchantOf(account)
    const { merchantUuid, integrationId } = shop
    const idOf = async (n: number) =>
      (await shop.all()).find((one) => one.chargeback_id === disputes[n].ref)?.id as string
    const credentialId = v7()
    const now = new Date()

    // The PSP: first seen, its transaction, changes, an outcome.
    await shop.poll()
    await shop.enrich()
    const patch = (n: number, body: object) =>
      workshop.control('PATCH', `/disputes/${disputes[n].ref}?account=${account}`, body)
    await patch(0, { amount: '77.70', dueInHours: 300, fields: { reason: 'product_not_received' } })
    await workshop.control('POST', `/disputes/${disputes[1].ref}/decide?account=${account}`, { outcome: 'lost' })
    await shop.poll()
    // The client: data, a decision, an acceptance.
    const [data, fought, accepted] = [await idOf(2), await idOf(3), await idOf(4)]
    const joined = (await shop.all()).find((one) => one.id === data)?.transaction_id as string
    await shop.addTransaction(joined, { transactionOrderDeviceId: 'd', transactionOrderIpAddress: '203.0.113.1' })
    await shop.addTransaction(joined, { transactionOrderDeviceId: '' })
    const points = { transactionOrderSteamId: 's', liabilityShift: true }
    await changeDataPoints(db, ring, { merchantUuid, chargebackId: data, credentialId, points, now })
    for (const shouldFight of [false, true])
      await decideShouldFight(db, { merchantUuid, chargebackId: fought, shouldFight, credentialId, now })
    await requestAcceptance(db, {
      merchantUuid,
      chargebackId: accepted,
      credentialId,
      now,
      acceptStages: () => ['chargeback'],
    })
    const { command_id } = await db.selectFrom('command').select('command_id').executeTakeFirstOrThrow()
    const command = await loadCommand(db, command_id)
    if (command) await endCommand(db, command, { status: 'succeeded' }, 'stripe')
    // The rules, and the clock.
    for (const rules of [{ lifecycleStages: ['chargeback'] }, {}]) {
      await saveScopeRules(db, { merchantUuid, integrationId, credentialId, rules })
      await recomputeChargebacks(db, { integrationId }, { now, source: 'scope' })
    }
    for (const hours of [395, 500]) {
      clock.now = () => new Date(Date.now() + hours * 3_600_000)
      await workshop.sweepDeadlines()
    }

    const { rows: changes } = await sql<{
      id: string
      field: string
      value: unknown
    }>`select * from seen_change`.execute(db)
    const shown = new Map<string, Set<string>>()
    for (const { id } of await shop.all()) {
      const events = await shop.timeline(id)
      const values = events.flatMap(({ after }) => Object.entries(after ?? {}))
      const named = events.flatMap(({ after }) => (after as { fields?: string[] } | null)?.fields ?? [])
      shown.set(id, new Set([...values.map(([name, value]) => `${name} = ${spelled(name, value)}`), ...named]))
    }
    const visible = changes.flatMap(({ id, field, value }) => {
      const name = VISIBLE[field]
      if (!name) return []
      // The currency of the scenario has cents.
      if (name === 'amount') return [{ id, line: `amount = ${Number(value) / 100}` }]
      const byName = FREE_TEXT.includes(name) || field === 'reason'
      return [{ id, line: byName ? name : `${name} = ${spelled(name, value)}` }]
    })
    const missing = visible.filter(({ id, line }) => !shown.get(id)?.has(line)).map(({ line }) => line)
    expect(missing).toEqual([])
    // The scenario changed these fields at least once.
    const changed = new Set(changes.map(({ field }) => field))
    for (const field of [
      'status',
      'psp_status',
      'amount_minor',
      'due_date',
      'enrichment_ratio',
      'win_probability',
      'should_fight',
      'is_enriched',
    ])
      expect([...changed]).toContain(field)
  })
})
