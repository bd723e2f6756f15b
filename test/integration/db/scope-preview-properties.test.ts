import fc from 'fast-check'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCommand } from '../../../db/commands/commands.ts'
import { LIFECYCLE_STAGES, PSP_STATUSES, REASON_GROUPS, STATUSES } from '../../../domain/chargeback.ts'
import type { Share } from '../../../domain/previews/scope-preview.ts'
import { SCOPE_DIMENSIONS } from '../../../domain/scope.ts'
import type { ActivityDeps } from '../../../workflows/activities/deps.ts'
import { reevaluateSlice } from '../../../workflows/activities/integrations/scope.ts'
import { addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../api/stage.ts'

const HOUR = 3_600_000
const start = Date.now()
let now = new Date(start)
let stage: Stage
let integrationId: string
beforeAll(async () => {
  stage = await createStage({ now: () => now })
  integrationId = await addIntegration(stage.db, stage.ring, stage.merchantUuid)
})
afterAll(() => stage[Symbol.asyncDispose]())

const hours = (min: number, max: number) => fc.integer({ min, max }).map((count) => new Date(start + count * HOUR))
const subset = (options: readonly string[], maxLength: number) => fc.subarray([...options], { maxLength })
// Few words, so that many rules match.
const METHODS = ['card', 'paypal', 'klarna'] as const
const SCHEMES = ['visa', 'mastercard', 'amex'] as const
const CODES = ['10.4', '13.1', '4853'] as const

const rules = fc.record(
  {
    paymentMethods: subset(METHODS, 1),
    cardSchemes: subset(SCHEMES, 1),
    lifecycleStages: subset(LIFECYCLE_STAGES, 1),
    reasonGroups: subset(REASON_GROUPS, 1),
    reasonCodes: subset(CODES, 1),
    chargebackAmount: fc.oneof(
      fc.record({ min: fc.integer({ min: 0, max: 20 }) }),
      fc.record({ max: fc.integer({ min: 50, max: 2_000 }) }),
    ),
  },
  { requiredKeys: [] },
)
/** Everything else that decides about a chargeback, and the time that passes before the next change. */
const settings = fc.record({
  goLive: fc.option(hours(-200, 100), { freq: 1 }),
  waits: fc.constantFrom(false, false, false, false, false, false, true),
  deactivation: fc.option(fc.record({ type: fc.constantFrom('postingDate', 'dueDate'), date: hours(-100, 200) }), {
    freq: 3,
  }),
  represent: fc.constantFrom(true, true, true, false),
  passes: fc.integer({ min: 0, max: 20 }),
})
const open = fc.constant('needs_response' as const)
const chargeback = fc.record({
  money: fc.constantFrom(['USD', 2], ['EUR', 2], ['JPY', 0], ['KWD', 3], ['ISK', 0], ['ISK', 2]),
  amount: fc.oneof(fc.bigInt({ min: 0n, max: 300_000n }), fc.bigInt({ min: 0n, max: 9_007_199_254_740_993n })),
  pspStatus: fc.oneof(open, open, open, fc.constant('unknown' as const), fc.constantFrom(...PSP_STATUSES)),
  status: fc.constantFrom(...STATUSES),
  lifecycleStage: fc.constantFrom(...LIFECYCLE_STAGES),
  reasonGroup: fc.constantFrom(...REASON_GROUPS),
  reasonCode: fc.option(fc.constantFrom(...CODES)),
  cardScheme: fc.option(fc.constantFrom(...SCHEMES)),
  paymentMethod: fc.option(fc.constantFrom(...METHODS)),
  postingDate: fc.option(hours(-300, 100)),
  dueDate: fc.option(hours(-48, 400)),
  shouldFight: fc.constantFrom(null, null, null, true, false),
  dataPoints: fc.subarray(['transactionOrderEmail', 'transactionOrderIpAddress', 'transactionOrderDeviceId']),
  command: fc.constantFrom(null, null, null, null, null, 'created', 'inProgress', 'failed', 'succeeded'),
  kind: fc.constantFrom('acceptance' as const, 'evidence_submission' as const),
})

describe('a preview of changed rules', () => {
  test('equals what the change then does: counts, sums, reasons and ids', async () => {
    // More than one slice of 500.
    const lives = fc.sample(chargeback, { numRuns: 700, seed: 1 })
    await store(lives)
    const kinds = new Set<string>()
    const changes = fc.sample(fc.tuple(rules, settings), { numRuns: 18, seed: 2 })
    for (const [newRules, given] of changes) {
      await applySettings(given)
      const path = `/v1/integrations/${integrationId}/scope-settings`
      const preview = await stage.call('POST', `${path}/preview`, { body: newRules })
      expect(preview.status, preview.text).toBe(200)
      const before = await stored()
      expect((await stage.call('PUT', path, { body: newRules })).status).toBe(200)
      const seen = await evaluate()
      const after = await stored()

      const { leaves, returns, untouched } = preview.body.data as Record<string, Share>
      expect((leaves?.count ?? 0) + (returns?.count ?? 0) + (untouched?.count ?? 0)).toBe(seen)
      const moved = [...before.values()].map((was) => ({ was, is: after.get(was.id) as Row }))
      const isOut = ({ status }: Row) => status === 'not_represented'
      const isIn = ({ status }: Row) => ['waiting_for_data', 'building_evidence'].includes(status)
      const left = moved.filter(({ was, is }) => isIn(was) && isOut(is))
      const back = moved.filter(({ was, is }) => isOut(was) && isIn(is))
      const rest = moved.filter((one) => one.was.changeable && !left.includes(one) && !back.includes(one))
      expect(comparable(leaves)).toEqual(await expected(left.map(({ is }) => is)))
      expect(comparable(returns)).toEqual(await expected(back.map(({ was }) => was)))
      expect(comparable(untouched)).toEqual(await expected(rest.map(({ is }) => is)))
      for (const [name, share] of Object.entries({ leaves, returns, untouched }))
        for (const one of comparable(share).reasons) kinds.add(`${name}: ${one.why}`)
    }
    // The samples include these results.
    const moving = SCOPE_DIMENSIONS.flatMap((dimension) => [`leaves: ${dimension}`, `returns: ${dimension}`])
    for (const kind of [
      ...moving,
      ...['leaves: The due date passed.', 'returns: The integration waits for its go-live date.'],
      ...['untouched: An acceptance is in progress.', 'untouched: An evidence submission is in progress.'],
      ...['untouched: It was accepted at the PSP.', 'untouched: The client decided to fight.'],
      'untouched: The due date is near: evidence is built with the data at hand.',
    ])
      expect([...kinds].filter((one) => one.startsWith(kind))).not.toEqual([])
  })
})

type Life = typeof chargeback extends fc.Arbitrary<infer Value> ? Value : never
type Settings = typeof settings extends fc.Arbitrary<infer Value> ? Value : never

async function store(lives: Life[]): Promise<void> {
  const rows = lives.map((one) => ({ id: uuidv7(), ...one }))
  await stage.db
    .insertInto('chargeback')
    .values(
      rows.map((one) => ({
        ...{ id: one.id, merchant_uuid: stage.merchantUuid, integration_id: integrationId, chargeback_id: one.id },
        ...{ psp: 'stripe', currency: one.money[0] as string, amount_minor: one.amount },
        ...{ amount_exponent: one.money[1] as number, posting_date: one.postingDate, due_date: one.dueDate },
        ...{ psp_status: one.pspStatus, status: one.status, status_reason: 'generated' },
        ...{ lifecycle_stage: one.lifecycleStage, reason_group: one.reasonGroup, reason_code: one.reasonCode },
        ...{ card_scheme: one.cardScheme, payment_method: one.paymentMethod, should_fight: one.shouldFight },
        ...{ data_points: one.dataPoints, content_hash: Buffer.alloc(32), translation_version: 1, read_at: now },
      })),
    )
    .execute()
  const { merchantUuid, credentialId } = stage
  for (const { id, kind, command } of rows.filter((one) => one.command)) {
    const dispute = { source: 'stripe', pspAccount: 'acct_1', reference: id }
    const requested = { kind, merchantUuid, chargebackId: id, dispute, round: 1, credentialId }
    const commandId = await createCommand(stage.db, requested)
    await stage.db
      .updateTable('command')
      .set({ status: command as string })
      .where('command_id', '=', commandId)
      .execute()
  }
}

async function applySettings({ goLive, waits, deactivation, represent, passes }: Settings): Promise<void> {
  now = new Date(now.getTime() + passes * HOUR)
  await stage.db
    .updateTable('integration')
    .set({
      ...{ go_live_date: goLive, go_live_waits: waits },
      ...{ deactivation_type: deactivation?.type ?? null, deactivation_date: deactivation?.date ?? null },
    })
    .where('integration_id', '=', integrationId)
    .execute()
  await stage.db
    .updateTable('account')
    .set({ settings: JSON.stringify({ represent }) })
    .where('account_id', '=', stage.accountId)
    .execute()
}

/** As the workflow does. @returns the number of chargebacks that were decided again */
async function evaluate(): Promise<number> {
  const deps = { db: stage.db, now: () => now } as unknown as ActivityDeps
  let total = 0
  for (let after: string | null | undefined; after !== null; ) {
    const slice = await reevaluateSlice(deps, { integrationId, asked: 1, after: after ?? null })
    total += slice.seen
    after = slice.next
  }
  return total
}

type Row = Awaited<ReturnType<typeof stored>> extends Map<string, infer Value> ? Value : never

async function stored() {
  const { rows } = await sql<{
    id: string
    status: string
    reason: string
    atWork: string | null
    due: Date | null
    changeable: boolean
  }>`
    select c.id, c.status, c.status_reason as reason, c.due_date as due,
      c.psp_status in ('needs_response', 'unknown') as changeable,
      (select k.kind from command k where k.chargeback_id = c.id and k.status in ('created', 'inProgress')) as "atWork"
    from chargeback c where c.integration_id = ${integrationId}`.execute(stage.db)
  return new Map(rows.map((row) => [row.id, row]))
}

/** The share that these chargebacks make, with sums by Postgres. */
async function expected(rows: Row[]): Promise<Comparable> {
  const reasons: Comparable['reasons'] = []
  for (const why of new Set(rows.map(whyOf))) {
    const same = rows.filter((row) => whyOf(row) === why)
    reasons.push({ why, count: same.length, amounts: await sums(same) })
  }
  const due = (row: Row) => row.due?.getTime() ?? -Infinity
  const latest = rows.toSorted((a, b) => (due(a) === due(b) ? (a.id > b.id ? -1 : 1) : due(a) > due(b) ? -1 : 1))
  return {
    count: rows.length,
    amounts: await sums(rows),
    reasons: reasons.toSorted(byWhy),
    examples: latest.slice(0, 20).map(({ id }) => id),
  }
}

function whyOf({ atWork, reason }: Row): string {
  if (atWork) return `An ${atWork.replace('_', ' ')} is in progress.`
  const [, dimension, word] = /^It is out of scope: (\w+) (\S+), by version \d+ of/.exec(reason) ?? []
  return dimension ? (dimension === 'chargebackAmount' ? dimension : `${dimension} ${word}`) : reason
}

async function sums(rows: Row[]): Promise<Share['amounts']> {
  const { rows: found } = await sql<Share['amounts'][number]>`
    select currency, trim_scale(sum(amount_minor * ('1e-' || amount_exponent)::numeric))::text as amount
    from chargeback where id = any(${rows.map(({ id }) => id)}::uuid[]) group by 1 order by 1`.execute(stage.db)
  return found
}

interface Comparable extends Omit<Share, 'reasons'> {
  reasons: { why: string; count: number; amounts: Share['amounts'] }[]
}
const byWhy = (a: { why: string }, b: { why: string }) => (a.why < b.why ? -1 : 1)

function comparable(share: Share | undefined): Comparable {
  const { reasons, ...rest } = share as Share
  const plain = reasons.map(({ count, amounts, ...why }) => ({ why: Object.values(why).join(' '), count, amounts }))
  return { ...rest, reasons: plain.toSorted(byWhy) }
}
