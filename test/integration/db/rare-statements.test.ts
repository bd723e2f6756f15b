import { afterAll, beforeAll, expect, test } from 'vitest'
import { newestReference } from '../../../db/chargebacks/chargebacks.ts'
import { createCommand } from '../../../db/commands/commands.ts'
import { openOperation, raiseGeneration, renewKey } from '../../../db/commands/psp-operations.ts'
import { createRemoval, readUnfinishedRemoval } from '../../../db/erasure/removals.ts'
import { changeSettings } from '../../../db/merchants/account-settings.ts'
import { addToGroup, createGroup } from '../../../db/merchants/groups.ts'
import { findWithoutContext, postponeContext } from '../../../db/polling/enrichment.ts'
import { storeNotification } from '../../../db/polling/notifications.ts'
import { postponeDue } from '../../../db/polling/rereads.ts'
import { addChargeback, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import type { Stage } from '../api/stage.ts'

/** Statements that other tests send only in a whole workflow run. */
let stage: Stage
let at: Place
let id: string
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  id = await addChargeback(stage.db, at, { chargeback_id: 'du_1', created_at: new Date('2026-01-01') })
  await addChargeback(stage.db, at, { chargeback_id: 'du_2', created_at: new Date('2026-01-02') })
})
afterAll(() => stage[Symbol.asyncDispose]())

const read = () => stage.db.selectFrom('chargeback').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('the newest dispute of an integration', async () => {
  expect(await newestReference(stage.db, at.integrationId)).toBe('du_2')
})

test('each new key of an effect is the next generation', async () => {
  const { db, merchantUuid, credentialId } = stage
  const dispute = { source: 'stripe', pspAccount: 'acct_1', reference: 'du_1' } as const
  const about = { merchantUuid, chargebackId: id, dispute, round: 1, credentialId }
  const operation = await openOperation(db, await createCommand(db, { ...about, kind: 'acceptance' }), 'accept:1')
  expect(operation).toMatchObject({ generation: 1, idempotencyKey: 'accept:1:1' })
  expect(await raiseGeneration(db, operation)).toMatchObject({ generation: 2, idempotencyKey: 'accept:1:2' })
  expect(await renewKey(db, operation)).toMatchObject({
    generation: 3,
    idempotencyKey: 'accept:1:3',
    firstSentAt: null,
  })
})

test('a transaction that could not be read is read again later, or when news of it arrive', async () => {
  const { db, ring } = stage
  const { integrationId } = at
  await db
    .insertInto('raw_object')
    .values({ ...{ integration_id: integrationId, kind: 'dispute', reference: 'du_1', sealed: '' } })
    .execute()
  await db.updateTable('chargeback').set({ transaction_id: 'tx_1' }).where('id', '=', id).execute()
  let news = 0
  const arrives = () => {
    const notification = { integrationId, notificationId: `n_${++news}`, type: 't', references: ['tx_1'], body: '{}' }
    return storeNotification(db, ring, notification, { reread: false })
  }
  const due = () => findWithoutContext(db, integrationId, 10)
  const first = await due()
  expect(first.map((one) => one.id)).toEqual([id])
  await postponeContext(db, first)
  expect(await read()).toMatchObject({ context_attempts: 1 })
  expect(await due()).toEqual([])
  await arrives()
  const second = await due()
  expect(second.map((one) => one.id)).toEqual([id])
  // They arrive after the attempt has looked for them.
  await arrives()
  await postponeContext(db, second)
  expect((await due()).map((one) => one.id)).toEqual([id])
  await postponeContext(db, await due())
})

test('a dispute that could not be read is read again later', async () => {
  await stage.db
    .updateTable('chargeback')
    .set({ reread_after: new Date(0) })
    .where('id', '=', id)
    .execute()
  await postponeDue(stage.db, at.integrationId, ['du_1'], [])
  expect((await read()).reread_after?.getTime()).toBeGreaterThan(Date.now())
})

test('a removal that has no result yet', async () => {
  const who = { email: 'a@example.com', firstName: 'A', lastName: 'B' }
  const { db, ring, merchantUuid, credentialId } = stage
  const { removalId } = await createRemoval(db, ring, { merchantUuid, credentialId, who })
  expect(await readUnfinishedRemoval(db, removalId)).toEqual({ merchantUuid, status: 'created' })
})

test('a credential of a group', async () => {
  const { db, accountId, merchantUuid } = stage
  const { groupId } = await createGroup(db, { accountId, name: 'G' })
  await addToGroup(db, { groupId, merchantUuid })
  const { token } = await stage.issue({ accountId, scope: 'group', groupId })
  const list = await stage.call('GET', '/v1/chargebacks', { token, merchant: stage.referenceId })
  expect(list.body.data).toHaveLength(2)
})

test('a setting that affects decisions has all integrations of the account decided again', async () => {
  const requested = async () => {
    const row = stage.db.selectFrom('integration').select('scope_asked').where('integration_id', '=', at.integrationId)
    return (await row.executeTakeFirstOrThrow()).scope_asked
  }
  const before = await requested()
  await changeSettings(stage.db, stage.accountId, { dataWindowHours: 96 })
  expect(await requested()).toBe(before + 1n)
})
