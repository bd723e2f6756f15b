import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { failOld } from '../../../db/webhooks/leases.ts'
import { openWebhooks } from './webhook-stage.ts'

test('more old deliveries than one statement ends are given up; newer, replayed and other ones stay', async () => {
  await using webhooks = await openWebhooks()
  const { db } = webhooks.stage
  const { id } = await webhooks.create('https://receiver.example')
  const { id: other } = await webhooks.create('https://other.example')
  const add = async (
    endpoint: string,
    count: number,
    { hours, replayed = false }: { hours: number; replayed?: boolean },
  ) =>
    sql`
      insert into webhook_delivery (endpoint_id, event_id, type, replayed, created_at, next_attempt_at)
      select ${endpoint}, gen_random_uuid(), 'chargeback.created', ${replayed}, now() - make_interval(hours => ${hours}),
        now() - make_interval(hours => ${hours}) from generate_series(1, ${count})`.execute(db)
  await add(id, 1_300, { hours: 80 })
  await add(id, 700, { hours: 77 })
  await add(id, 30, { hours: 75 })
  await add(id, 1_001, { hours: 77, replayed: true })
  await add(id, 20, { hours: 1, replayed: true })
  await add(other, 5, { hours: 80 })
  expect(await failOld(db, id)).toBe(3_001)
  const { rows } = await sql`
    select endpoint_id = ${id} as own, state, replayed, count(*)::int as count from webhook_delivery
    group by 1, 2, 3 order by 1, 2, 3`.execute(db)
  expect(rows).toEqual([
    { own: false, state: 'pending', replayed: false, count: 5 },
    { own: true, state: 'failed', replayed: false, count: 2_000 },
    { own: true, state: 'failed', replayed: true, count: 1_001 },
    { own: true, state: 'pending', replayed: false, count: 30 },
    { own: true, state: 'pending', replayed: true, count: 20 },
  ])
})
