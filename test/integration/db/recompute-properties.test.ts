import fc from 'fast-check'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closedCasesOf } from '../../../db/chargebacks/closed-cases.ts'
import { columnOf, WRITTEN } from '../../../db/chargebacks/column-sql.ts'
import { recomputeChargebacks } from '../../../db/chargebacks/recompute.ts'
import { createCommand } from '../../../db/commands/commands.ts'
import { type Connection, loadConnection } from '../../../db/integrations/connections.ts'
import { findNews, storeChargebacks } from '../../../db/polling/ingest.ts'
import type { ChargebackColumns } from '../../../db/polling/page.ts'
import {
  CARD_SCHEMES,
  type ChargebackFacts,
  LIFECYCLE_STAGES,
  PAYMENT_METHODS,
  PSP_STATUSES,
} from '../../../domain/chargeback.ts'
import { REASON_CODES } from '../../../domain/reason-codes.ts'
import { FIXED_OPTIONS } from '../../../domain/scope-options.ts'
import { projectChargeback } from '../../../workflows/activities/polling/projection.ts'
import { addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'

const now = new Date('2026-03-10T12:00:00.000Z')
const HOUR = 3_600_000
const time = fc.integer({ min: -40 * 24, max: 40 * 24 }).map((hours) => new Date(now.getTime() + hours * HOUR))
const subset = (options: readonly string[]) => fc.subarray([...options], { maxLength: 3 })

const rules = fc.record(
  {
    paymentMethods: subset(FIXED_OPTIONS.paymentMethods),
    cardSchemes: subset(FIXED_OPTIONS.cardSchemes),
    lifecycleStages: subset(FIXED_OPTIONS.lifecycleStages),
    reasonCodes: subset(REASON_CODES),
    chargebackAmount: fc.record({ min: fc.integer({ min: 0, max: 60 }) }),
  },
  { requiredKeys: [] },
)
/** Settings of an integration, without those of its merchant. */
const terms = fc.record({
  rules: fc.option(rules),
  goLive: fc.option(time, { freq: 2 }),
  waits: fc.constantFrom(false, false, false, true),
  deactivation: fc.option(fc.record({ type: fc.constantFrom('postingDate', 'dueDate'), date: time }), { freq: 2 }),
})
const facts = fc.record({
  pspStatus: fc.constantFrom(...PSP_STATUSES, 'needs_response' as const, 'needs_response' as const),
  lifecycleStage: fc.constantFrom(...LIFECYCLE_STAGES),
  postingDate: fc.option(time.map(String)),
  dueDate: fc.option(time),
  cardScheme: fc.option(fc.constantFrom(...CARD_SCHEMES)),
  paymentMethod: fc.option(fc.constantFrom(...PAYMENT_METHODS)),
  reasonCode: fc.option(fc.constantFrom(...REASON_CODES, 'fraudulent')),
  amountMinor: fc.bigInt({ min: 0n, max: 10_000n }),
  bin: fc.option(fc.constant('424242')),
  arn: fc.option(fc.constant('74537604221222132710572')),
})
/** What happens to a chargeback between two reads of the same facts. */
const life = fc.record({
  facts,
  shouldFight: fc.constantFrom(null, null, true, false),
  dataPoints: fc.subarray(['transactionOrderEmail', 'transactionOrderIpAddress', 'transactionOrderDeviceId']),
  command: fc.constantFrom(null, null, 'created', 'inProgress', 'failed', 'succeeded'),
  kind: fc.constantFrom('acceptance' as const, 'evidence_submission' as const),
})

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const COMPARED = [
  'id',
  'status',
  'status_reason',
  'round',
  'enrichment_ratio',
  'win_probability',
  'roi_recommendation',
  'scope_decision',
] as const

describe('a chargeback decided again', () => {
  test('equals a new read of the same facts, after any change of settings, data and commands', async () => {
    const { db } = stage
    const [before = [], after = []] = [
      fc.sample(terms, { numRuns: 12, seed: 1 }),
      fc.sample(terms, { numRuns: 12, seed: 2 }),
    ]
    const lives = fc.sample(life, { numRuns: 300, seed: 3 })
    const kinds = new Set<string>()
    for (const [index, given] of before.entries()) {
      const integrationId = await addIntegration(db, stage.ring, stage.merchantUuid)
      await applySettings(integrationId, given, 1)
      const own = lives.slice(index * 25, index * 25 + 25).map((one) => ({ ...one, facts: whole(one.facts) }))
      const ownFacts = own.map((one) => one.facts)
      await storeReadings(integrationId, ownFacts)
      await live(integrationId, own)
      await applySettings(integrationId, after[index] as (typeof after)[number], 2)

      const expected = await read(integrationId, ownFacts)
      const { changed } = await recomputeChargebacks(
        db,
        { chargebackIds: expected.map((one) => String(one.id)) },
        { now, source: 'test' },
      )
      const found = await db
        .selectFrom('chargeback')
        .select(COMPARED)
        .where('integration_id', '=', integrationId)
        .orderBy('id')
        .execute()
      const rows = expected.map((row) => Object.fromEntries(WRITTEN.map((one) => [columnOf(one).column, row[one]])))
      const inOrder = rows.map(comparable).sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1))
      expect(found.map(comparable)).toEqual(inOrder)
      for (const one of found) kinds.add(`${one.status} ${(one.scope_decision as { by?: string } | null)?.by}`)
      kinds.add(changed > 0 ? 'changed' : 'unchanged')
    }
    // The samples include these results.
    for (const kind of [
      'waiting_for_data null',
      'building_evidence should_fight',
      'not_represented scope_rule',
      'changed',
    ])
      expect([...kinds].map((one) => one.replace('undefined', 'null'))).toContain(kind)
  })
})

const whole = (some: Partial<Record<keyof ChargebackFacts, unknown>>): ChargebackFacts =>
  ({
    chargebackId: `du_${uuidv7()}`,
    psp: 'stripe',
    currency: 'USD',
    amountExponent: 2,
    transactionCreatedDate: null,
    pspStatusChangeDate: null,
    transactionId: null,
    externalTransactionIdentifier: null,
    merchantReferenceName: null,
    reason: null,
    cardLastFourDigits: null,
    billingCountry: null,
    pspSequence: null,
    ...some,
    postingDate: some.postingDate ? new Date(some.postingDate as string).toISOString() : null,
    dueDate: (some.dueDate as Date | null)?.toISOString() ?? null,
  }) as ChargebackFacts

/** Numbers come from Postgres as text, absent ones as null. */
const comparable = (row: Record<string, unknown>) =>
  Object.fromEntries(
    COMPARED.map((name) => [
      name,
      /ratio|probability/.test(name) && row[name] !== null ? Number(row[name]) : (row[name] ?? null),
    ]),
  )

async function applySettings(
  integrationId: string,
  settings: { rules: unknown; goLive: Date | null; waits: boolean; deactivation: { type: string; date: Date } | null },
  version: number,
) {
  const { rules: newRules, goLive, waits, deactivation } = settings
  if (newRules)
    await stage.db
      .insertInto('scope_version')
      .values({ integration_id: integrationId, version, rules: JSON.stringify(newRules) })
      .execute()
  await stage.db
    .updateTable('integration')
    .set({
      ...(newRules ? { scope_version: version } : {}),
      go_live_date: goLive,
      go_live_waits: waits,
      deactivation_type: deactivation?.type ?? null,
      deactivation_date: deactivation?.date ?? null,
    })
    .where('integration_id', '=', integrationId)
    .execute()
}

/** What a poll would write for these facts now, without writing it. */
async function read(integrationId: string, all: ChargebackFacts[]): Promise<ChargebackColumns[]> {
  const connection = (await loadConnection(stage.db, integrationId)) as Connection
  const closedCases = await closedCasesOf(stage.db, connection)
  const hash = Buffer.from(uuidv7())
  const seen = all.map((one) => ({
    reference: one.chargebackId,
    hash: Buffer.concat([hash, Buffer.from(one.chargebackId)]),
  }))
  const news = await findNews(stage.db, integrationId, seen, 1)
  return news.flatMap(({ index, stored }) => {
    const projected = projectChargeback({
      facts: all[index] as ChargebackFacts,
      anomalies: [],
      stored,
      connection,
      closedCases,
      account: 'acct_1',
      pspAccount: 'acct_1',
      hash: seen[index]?.hash as Buffer,
      readAt: now,
      now,
      translationVersion: 1,
    })
    return projected ? [projected.columns] : []
  })
}

async function storeReadings(integrationId: string, all: ChargebackFacts[]): Promise<void> {
  const chargebacks = await read(integrationId, all)
  const { rulesVersion } = (await loadConnection(stage.db, integrationId)) as Connection
  await storeChargebacks(stage.db, stage.ring, integrationId, { chargebacks, raw: [], timeline: [], rulesVersion, now })
}

async function live(
  integrationId: string,
  lives: {
    facts: ChargebackFacts
    shouldFight: boolean | null
    dataPoints: string[]
    command: string | null
    kind: 'acceptance' | 'evidence_submission'
  }[],
) {
  for (const one of lives) {
    const { id } = await stage.db
      .updateTable('chargeback')
      .set({ should_fight: one.shouldFight, data_points: one.dataPoints })
      .where('integration_id', '=', integrationId)
      .where('chargeback_id', '=', one.facts.chargebackId)
      .returning('id')
      .executeTakeFirstOrThrow()
    if (!one.command) continue
    const { merchantUuid, credentialId } = stage
    const commandId = await createCommand(stage.db, {
      kind: one.kind,
      merchantUuid,
      chargebackId: id,
      dispute: { source: 'stripe', pspAccount: 'acct_1', reference: id },
      round: 1,
      credentialId,
    })
    await stage.db.updateTable('command').set({ status: one.command }).where('command_id', '=', commandId).execute()
  }
}
