import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../db/core/connect.ts'
import { listen } from '../../../db/core/listen.ts'
import { claim, enqueue, outboxLag, postpone, removeMessage } from '../../../db/core/outbox.ts'
import { readKeyRing } from '../../../db/core/seal.ts'
import { recordPoll } from '../../../db/integrations/connections.ts'
import { createIntegration } from '../../../db/integrations/integrations.ts'
import { createAccount } from '../../../db/merchants/accounts.ts'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import { advanceCursor, LeaseLost, releaseLease, takeLease } from '../../../db/polling/lease.ts'
import type { DispatchDeps } from '../../../workflows/starters/deps.ts'
import { dispatchDue } from '../../../workflows/starters/dispatch.ts'
import { startRelay } from '../../../workflows/worker/outbox.ts'
import { createDatabase, type TestDatabase } from '../../harness/database.ts'
import { until } from '../../harness/until.ts'

let database: TestDatabase
let db: ReturnType<typeof connect>
beforeAll(async () => {
  database = await createDatabase()
  db = connect(database.url, { scope: 'system' })
})
afterAll(async () => {
  await db.destroy()
  await database[Symbol.asyncDispose]()
})

describe('outbox', () => {
  test('each message goes to one relay only, in order', async () => {
    const ids: bigint[] = []
    for (let n = 0; n < 40; n++)
      ids.push(await enqueue(db, { kind: 'poll_now', payload: { integrationId: String(n) } }))
    const claimed = (await Promise.all(Array.from({ length: 4 }, () => claim(db, { limit: 10 })))).flat()
    expect(claimed.map((row) => row.outboxId).sort((a, b) => Number(a - b))).toEqual(ids)
    await Promise.all(ids.map((id) => removeMessage(db, id)))
  })

  test('a rolled back command leaves no message', async () => {
    await expect(
      db.transaction().execute(async (trx) => {
        await enqueue(trx, { kind: 'poll_now', payload: {} })
        throw new Error('refused')
      }),
    ).rejects.toThrow('refused')
    expect(await claim(db, { limit: 10 })).toEqual([])
  })

  test('a failed message comes back later, with the kind of its error; the lag is its age', async () => {
    const outboxId = await enqueue(db, { kind: 'poll_now', payload: {} })
    const [row] = await claim(db, { outboxId })
    await postpone(db, row as NonNullable<typeof row>, 'ServiceError')
    expect(await claim(db, { limit: 10 })).toEqual([])
    expect(await outboxLag(db)).toBeGreaterThan(0)
    const [again] = await until('it is due again', () => claim(db, { limit: 10 }), {
      holds: (rows) => rows.length === 1,
    })
    expect(again?.attempts).toBe(2)
    await removeMessage(db, outboxId)
  })

  test('a message that is postponed is counted as claimed, so that the relay goes on with the others', async () => {
    for (const integrationId of ['refused', 'gone'])
      await enqueue(db, { kind: 'sync_schedule', payload: { integrationId } })
    let tries = 0
    const withDeadline = async () => {
      if (tries++ === 0) throw new Error('unavailable')
    }
    const temporal = { connection: { withDeadline } } as never
    const deps = { db, temporal, polling: {} as never, log: { warn() {} } }
    expect(await dispatchDue(deps, 2)).toEqual({ claimed: 2, done: 1 })
    await db.deleteFrom('outbox').execute()
  })

  test('a message of a kind that only a newer version knows waits for its worker', async () => {
    const outboxId = await enqueue(db, { kind: 'of_a_newer_version', payload: {} })
    const warned: object[] = []
    const connection = { withDeadline: (_: number, work: () => Promise<void>) => work() }
    const deps = { db, temporal: { connection }, log: { warn: (fields: object) => void warned.push(fields) } }
    expect(await dispatchDue(deps as unknown as DispatchDeps, 10)).toEqual({ claimed: 1, done: 0 })
    expect(warned).toMatchObject([{ kind: 'of_a_newer_version', reason: 'UnknownMessage' }])
    const row = await db.selectFrom('outbox').select('last_error').where('outbox_id', '=', outboxId).executeTakeFirst()
    expect(row).toEqual({ last_error: 'UnknownMessage' })
    await removeMessage(db, outboxId)
  })

  test('a commit wakes the relay, also after its connection broke', async () => {
    let heard = 0
    await using _listener = listen(database.url, 'outbox', () => {
      heard++
    })
    await until('it listens', () => heard === 1)
    await enqueue(db, { kind: 'poll_now', payload: {} })
    await until('it was woken', () => heard === 2)
    const { sql } = await import('kysely')
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where query ilike 'listen%' and datname = current_database()`.execute(db)
    await until('it listens again', () => heard >= 3)
    const before = heard
    await enqueue(db, { kind: 'poll_now', payload: {} })
    await until('it was woken again', () => heard > before)
  })

  test('a commit makes the pages of polls wait, before the command has started', async () => {
    let steps = 0
    await using _relay = startRelay({
      ...{ db, databaseUrl: database.url, polling: {} as never, log: { warn() {} } },
      temporal: { connection: { withDeadline: () => Promise.reject(new Error('no server')) } } as never,
      commandsFirst: { step: () => void steps++ },
    })
    await until('it listens', () => steps === 1)
    await enqueue(db, { kind: 'poll_now', payload: {} })
    await until('the step was reported', () => steps === 2)
  })
})

describe('lease of an integration', () => {
  async function integration(): Promise<string> {
    const ring = readKeyRing(`k:${Buffer.alloc(32, 7).toString('base64')}`)
    const { accountId } = await createAccount(db, { name: 'A' })
    const contact = { email: 'a@example.com', firstName: 'A', lastName: 'B' }
    const merchant = await createMerchant(db, ring, {
      accountId,
      merchantName: 'M',
      websiteUrl: 'https://m.example.com',
      contact,
    })
    const created = await createIntegration(db, ring, {
      merchantUuid: merchant.merchantUuid,
      source: 'stripe',
      integrationName: 'S',
      externalIdentifier: 'x',
      secretType: 'APIKEY_ONLY',
      secretPayload: { apiKey: 'k' },
    })
    return created.integrationId
  }
  const cursor = { version: 1, value: { at: 1 } }

  test('one poll at a time: another owner waits until it is released', async () => {
    const id = await integration()
    const lease = await takeLease(db, id, 'run-1')
    expect(await takeLease(db, id, 'run-2')).toBeNull()
    if (lease) await releaseLease(db, lease)
    expect(await takeLease(db, id, 'run-2')).not.toBeNull()
  })

  test('a frozen attempt that resumes cannot write any more: its fence is old', async () => {
    const id = await integration()
    const zombie = await takeLease(db, id, 'run-1')
    const retry = await takeLease(db, id, 'run-1')
    if (!zombie || !retry) throw new Error('no lease')
    await advanceCursor(db, retry, cursor)
    await expect(advanceCursor(db, zombie, cursor)).rejects.toThrow(LeaseLost)
    await releaseLease(db, zombie)
    await expect(advanceCursor(db, retry, cursor)).resolves.toBeUndefined()
  })

  test('a poll of an integration that is deactivated meanwhile writes nothing more', async () => {
    const id = await integration()
    const lease = await takeLease(db, id, 'run-1')
    if (!lease) throw new Error('no lease')
    await db.updateTable('integration').set({ status: 'INACTIVE' }).where('integration_id', '=', id).execute()
    await expect(advanceCursor(db, lease, cursor)).rejects.toThrow(LeaseLost)
  })

  test('a frozen attempt that resumes cannot record a refusal: three make the integration FAILED', async () => {
    const id = await integration()
    const zombie = await takeLease(db, id, 'run-1')
    const retry = await takeLease(db, id, 'run-1')
    if (!zombie || !retry) throw new Error('no lease')
    await recordPoll(db, retry, { ok: true })
    await recordPoll(db, zombie, { ok: false, reason: 'late', authentication: true })
    const row = await db
      .selectFrom('integration')
      .select(['poll_error', 'authentication_failures'])
      .where('integration_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(row).toEqual({ poll_error: null, authentication_failures: 0 })
  })
})
