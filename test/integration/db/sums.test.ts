import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { foldSums } from '../../../db/analytics/fold-sums.ts'
import { addChargeback, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

let stage: Stage
let places: Place[]
beforeAll(async () => {
  const made = await stageWithIntegration()
  stage = made.stage
  const other = await stage.newMerchant(stage.accountId)
  places = [made.at, { merchantUuid: other.merchantUuid, integrationId: made.at.integrationId }]
})
afterAll(() => stage[Symbol.asyncDispose]())

/** Both sides in a form that shows which sums differ. Written apart from the migration, from what the page on it says. */
async function differences(): Promise<unknown[]> {
  const { rows } = await sql`
    with counted as (
      select merchant_uuid, psp, currency, amount_exponent, reason_group, status, psp_status, lifecycle_stage,
        to_char(posting_date at time zone 'UTC', 'YYYY-MM') as month,
        case when psp_status = 'needs_response' then to_char(due_date at time zone 'UTC', 'IYYY-IW') end as week,
        case when psp_status in ('won', 'lost', 'split') and days < 14 then days
          when psp_status in ('won', 'lost', 'split') then days / 7 * 7 end as days,
        count(*) as n, sum(amount_minor) as amount
      from (select *, case when psp_status_change_date >= posting_date
          then trunc(extract(epoch from psp_status_change_date - posting_date) / 86400)::int
          when posting_date > psp_status_change_date then 0 end as days from chargeback) c
      where merged_into is null group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
    ), kept as (
      select merchant_uuid, psp, currency, amount_exponent, reason_group, status, psp_status, lifecycle_stage,
        to_char(posting_month, 'YYYY-MM') as month, to_char(due_week, 'IYYY-IW') as week, decision_days::int as days,
        sum(chargebacks)::bigint as n, sum(amount_minor) as amount
      from (
        select merchant_uuid, psp, currency, amount_exponent, reason_group, status, psp_status, lifecycle_stage,
          posting_month, due_week, decision_days, chargebacks, amount_minor from chargeback_sum
        union all
        select merchant_uuid, psp, currency, amount_exponent, reason_group, status, psp_status, lifecycle_stage,
          posting_month, due_week, decision_days, chargebacks, amount_minor from chargeback_sum_change) s
      group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 having sum(chargebacks) <> 0 or sum(amount_minor) <> 0
    )
    (select 'not kept' as side, * from counted except select 'not kept', * from kept)
    union all (select 'not counted', * from kept except select 'not counted', * from counted)`.execute(stage.db)
  return rows
}

const date = fc.option(fc.integer({ min: 0, max: 400 }).map((n) => new Date(Date.UTC(2025, 0, 1, 7 * n))))
const facts = fc.record({
  psp: fc.constantFrom('stripe', 'adyen'),
  currency: fc.constantFrom('EUR', 'JPY'),
  amount_minor: fc.oneof(fc.bigInt(0n, 9_000n), fc.constant(2n ** 62n)),
  amount_exponent: fc.constantFrom(0, 2),
  reason_group: fc.constantFrom('fraud', 'general'),
  status: fc.constantFrom('waiting_for_data', 'not_represented'),
  psp_status: fc.constantFrom('needs_response', 'under_review', 'won', 'lost', 'split'),
  lifecycle_stage: fc.constantFrom('chargeback', 'inquiry'),
  posting_date: date,
  due_date: date,
  psp_status_change_date: date,
})
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ what: fc.constant('add' as const), at: fc.constantFrom(0, 1), facts }) },
  {
    weight: 4,
    arbitrary: fc.record({ what: fc.constant('change' as const), share: fc.integer({ min: 1, max: 3 }), facts }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constant('set aside' as const), share: fc.integer({ min: 2, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('show again' as const) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('delete' as const), share: fc.integer({ min: 3, max: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('fold' as const), limit: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('roll back' as const), facts }) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** Every `share`-th chargeback. */
const some = (share: number) => sql<boolean>`abs(hashtext(id::text)) % ${share} = 0`

async function take(one: Step): Promise<void> {
  const { db } = stage
  if (one.what === 'add') await addChargeback(db, places[one.at] as Place, one.facts)
  if (one.what === 'change') await db.updateTable('chargeback').set(one.facts).where(some(one.share)).execute()
  if (one.what === 'set aside')
    await db
      .updateTable('chargeback')
      .set((eb) => ({ merged_into: eb.ref('id') }))
      .where(some(one.share))
      .execute()
  if (one.what === 'show again') await db.updateTable('chargeback').set({ merged_into: null }).execute()
  if (one.what === 'delete') await db.deleteFrom('chargeback').where(some(one.share)).execute()
  if (one.what === 'fold') await foldSums(db, one.limit)
  if (one.what === 'roll back')
    await db
      .transaction()
      .execute(async (trx) => {
        await trx.updateTable('chargeback').set(one.facts).execute()
        throw new Error('on purpose')
      })
      .catch((error: Error) => expect(error.message).toBe('on purpose'))
}

test('after random histories the kept sums are those that a count finds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      for (const one of steps) await take(one)
      expect(await differences()).toEqual([])
    }),
    { numRuns: 25 },
  )
}, 120_000)

test('a sum that nobody keeps is found', async () => {
  await addChargeback(stage.db, places[0] as Place)
  await sql`update chargeback_sum_change set chargebacks = chargebacks + 1`.execute(stage.db)
  expect(await differences()).not.toEqual([])
  await sql`update chargeback_sum_change set chargebacks = chargebacks - 1`.execute(stage.db)
})

test('workers that fold next to writers lose nothing and do not wait for each other', async () => {
  const write = async (n: number) => {
    const id = await addChargeback(stage.db, places[n % 2] as Place, { psp: n % 3 === 0 ? 'stripe' : 'adyen' })
    await stage.db.updateTable('chargeback').set({ psp_status: 'won' }).where('id', '=', id).execute()
  }
  await Promise.all([
    ...Array.from({ length: 40 }, (_, n) => write(n)),
    ...Array.from({ length: 20 }, () => foldSums(stage.db, 7)),
  ])
  expect(await differences()).toEqual([])
  while ((await foldSums(stage.db, 50)) > 0);
  expect(await differences()).toEqual([])
  const { rows } = await sql`select from chargeback_sum_change`.execute(stage.db)
  expect(rows).toEqual([])
})

test('a statement that changes no sum records nothing', async () => {
  await addChargeback(stage.db, places[0] as Place)
  while ((await foldSums(stage.db, 50)) > 0);
  await stage.db.updateTable('chargeback').set({ reread_after: new Date(), reason: 'other' }).execute()
  expect(await stage.db.selectFrom('chargeback_sum_change').selectAll().execute()).toEqual([])
})

test('a writer waits for no other of the same merchant', async () => {
  const [first, second] = await Promise.all([0, 1].map(() => addChargeback(stage.db, places[0] as Place)))
  await stage.db.transaction().execute(async (trx) => {
    await trx
      .updateTable('chargeback')
      .set({ psp_status: 'lost' })
      .where('id', '=', first ?? '')
      .execute()
    // The same sums, from another connection, while the first transaction is open.
    await stage.db
      .updateTable('chargeback')
      .set({ psp_status: 'lost' })
      .where('id', '=', second ?? '')
      .execute()
  })
  expect(await differences()).toEqual([])
})
