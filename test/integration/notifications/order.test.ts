import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claim, postpone, removeMessage } from '../../../db/core/outbox.ts'
import { createIntegration } from '../../../db/integrations/integrations.ts'
import { type NewNotification, notificationsAfter, storeNotification } from '../../../db/polling/notifications.ts'
import { createStage, type Stage } from '../api/stage.ts'

let stage: Stage
let integrationId: string
beforeAll(async () => {
  stage = await createStage()
  const created = await createIntegration(stage.db, stage.ring, {
    merchantUuid: stage.merchantUuid,
    source: 'adyen',
    integrationName: 'A',
    externalIdentifier: 'A',
    secretType: 'HMAC',
    secretPayload: { hmac: 'aa', apiKey: 'b' },
  })
  integrationId = created.integrationId
  await removeMessage(stage.db, created.outboxId)
})
afterAll(() => stage[Symbol.asyncDispose]())

const notification = (notificationId: string): NewNotification => ({
  integrationId,
  notificationId,
  type: 't',
  references: ['ref'],
  body: '{}',
})
const read = async () => (await notificationsAfter(stage.db, integrationId, null, 100)).map((one) => one.position)
const polls = async () =>
  (await stage.db.selectFrom('outbox').selectAll().where('kind', '=', 'poll_now').execute()).length

describe('positions of stored notifications', () => {
  test('become visible in order: a later one waits for an earlier one that is not committed yet', async () => {
    let commit = () => {}
    const held = new Promise<void>((resolve) => {
      commit = resolve
    })
    let inside = () => {}
    const begun = new Promise<void>((resolve) => {
      inside = resolve
    })
    const earlier = stage.db.transaction().execute(async (trx) => {
      await trx
        .updateTable('integration')
        .set({ notification_at: new Date() })
        .where('integration_id', '=', integrationId)
        .execute()
      const {
        integrationId: integration_id,
        notificationId: notification_id,
        body: sealed,
        ...rest
      } = notification('earlier')
      await trx
        .insertInto('notification')
        .values({ integration_id, notification_id, sealed, ...rest })
        .execute()
      inside()
      await held
    })
    await begun
    let stored = false
    const later = storeNotification(stage.db, stage.ring, notification('later'), { reread: false }).then(() => {
      stored = true
    })
    await pause(200)
    expect({ stored, read: await read() }).toEqual({ stored: false, read: [] })
    commit()
    await Promise.all([earlier, later])
    const [first = 0n, second = 0n] = await read()
    expect(second).toBeGreaterThan(first)
  })
})

describe('the poll that a notification requests', () => {
  test('is one message, another one after that was claimed, and no third one while that waits', async () => {
    await stage.db.deleteFrom('outbox').execute()
    for (const id of ['a', 'b', 'c']) await storeNotification(stage.db, stage.ring, notification(id), { reread: true })
    expect(await polls()).toBe(1)
    const [taken] = await claim(stage.db, { limit: 10 })
    await storeNotification(stage.db, stage.ring, notification('d'), { reread: true })
    expect(await polls()).toBe(2)
    if (!taken) throw new Error('nothing was claimed')
    await removeMessage(stage.db, taken.outboxId)
    const [other] = await claim(stage.db, { limit: 10 })
    if (!other) throw new Error('nothing was claimed')
    await postpone(stage.db, other, 'ServiceError')
    for (const id of ['e', 'f']) await storeNotification(stage.db, stage.ring, notification(id), { reread: true })
    expect(await polls()).toBe(1)
  })

  test('is not requested by a repeated delivery', async () => {
    await stage.db.deleteFrom('outbox').execute()
    expect(await storeNotification(stage.db, stage.ring, notification('a'), { reread: true })).toBe(false)
    expect(await polls()).toBe(0)
  })
})
