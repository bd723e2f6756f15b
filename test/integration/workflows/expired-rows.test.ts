import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeNotification } from '../../../db/polling/notifications.ts'
import { type InProcess, openInProcess, subjectOf } from '../../harness/in-process.ts'

let world: InProcess
beforeAll(async () => {
  world = await openInProcess(subjectOf('stripe'), {})
})
afterAll(() => world[Symbol.asyncDispose]())

test('finding 5: the activity deletes old notifications, except those of a PSP without a list', async () => {
  const { db, ring } = world.stage
  const ids: Record<string, string> = {}
  for (const [source, secretType] of [
    ['stripe', 'APIKEY_ONLY'],
    ['adyen', 'HMAC'],
  ] as const) {
    const integrationId = await world.connect({ source, secretType, externalIdentifier: source, secretPayload: {} })
    ids[integrationId] = source
    const notification = { integrationId, notificationId: 'n', type: 't', references: ['r'], body: '{}' }
    await storeNotification(db, ring, notification, { reread: false })
  }
  await sql`update notification set received_at = now() - interval '20 years'`.execute(db)
  expect(await world.run(world.activities.expireRows as () => Promise<number>, undefined as never)).toBe(1)
  const left = await db.selectFrom('notification').select('integration_id').execute()
  expect(left.map(({ integration_id }) => ids[integration_id])).toEqual(['adyen'])
})
