import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFINITE_KINDS } from '../../../adapters/errors.ts'
import { changeDataPoints } from '../../../db/chargebacks/client-data.ts'
import { readTimeline } from '../../../db/chargebacks/timeline.ts'
import { adoptChargebacks } from '../../../db/integrations/adoption.ts'
import { type Connections, openConnections } from './connections.ts'

describe.each(['stripe', 'paypal', 'braintree', 'adyen'])(
  'connecting an account at %s again after a deactivation',
  (source) => {
    let at: Connections
    beforeAll(async () => {
      at = await openConnections(source)
    })
    afterAll(() => at[Symbol.asyncDispose]())

    test('adopts its chargebacks: same ids, data points and timeline; no dispute is stored twice', async () => {
      const { stage, merchantUuid } = at
      const disputes = [await at.open(), await at.open(), await at.open()]
      const [{ id } = { id: '' }] = disputes
      await changeDataPoints(stage.db, stage.ring, {
        ...{ merchantUuid, chargebackId: id, credentialId: stage.credentialId, now: new Date() },
        points: { orderNumber: 'A-1' },
      })
      const before = await at.chargebacks(at.integrationId)
      await at.verify(at.integrationId)
      await at.deactivate(at.integrationId)
      const again = await at.connect(merchantUuid)
      expect((await at.verify(again)).status).toBe('SUCCESSFUL')
      await at.poll(again)

      const after = await at.chargebacks(again)
      expect(after.map((one) => one.id)).toEqual(before.map((one) => one.id))
      expect(await at.chargebacks(at.integrationId)).toEqual([])
      expect(after.find((one) => one.id === id)?.data_points).toEqual(['orderNumber'])
      expect(await readTimeline(stage.db, { merchantUuid, chargebackId: id })).toContainEqual({
        when: expect.any(Date),
        source: 'verification',
        what: 'integration changed',
        before: { integrationId: at.integrationId },
        after: { integrationId: again },
      })
      // The PSP's raw objects moved, too.
      const raw = await stage.db
        .selectFrom('raw_object')
        .select('integration_id')
        .where('kind', '=', 'dispute')
        .execute()
      expect(new Set(raw.map((row) => row.integration_id))).toEqual(new Set([again]))
      const [{ ref } = { ref: '' }] = disputes
      // The new integration follows them, at Adyen by its own notification address.
      if (source === 'adyen') await at.control('POST', '/subscriptions', { url: at.notificationUrl(again) })
      await at.control('POST', `/disputes/${ref}/decide`, { outcome: 'won' })
      await at.engine.subscriptions.idle()
      await at.poll(again)
      expect((await at.chargebacks(again)).find((one) => one.id === id)).toMatchObject({ psp_status: 'won' })
    })
  },
)

describe.each(['stripe', 'adyen'])(
  'an acceptance at %s that began before the account was connected again',
  (source) => {
    let at: Connections
    beforeAll(async () => {
      at = await openConnections(source)
    })
    afterAll(() => at[Symbol.asyncDispose]())

    test('continues through the new integration: one effect, and no dispute is stored twice', async () => {
      const { stage, merchantUuid } = at
      const { ref, id } = await at.open()
      await stage.call('POST', `/v1/chargebacks/${id}/accept`)
      const commands = stage.db.selectFrom('command').select('command_id').where('chargeback_id', '=', id)
      const { command_id: acceptanceId } = await commands.executeTakeFirstOrThrow()
      let again = ''
      // The attempt has loaded the former integration by now.
      at.atFaultPoint.set('accept.before_probe', async () => {
        at.atFaultPoint.clear()
        await at.deactivate(at.integrationId)
        again = await at.connect(merchantUuid)
        await at.verify(again)
      })
      // The first attempt does not find Adyen's dispute, which has moved. That is no refusal: the second one does.
      const final: readonly string[] = [...DEFINITE_KINDS, 'rejected_final']
      for (let attempts = 0; attempts < 2; attempts++)
        await at.run(at.activities.acceptAtPsp, { acceptanceId }).catch((error) => {
          if (final.includes(error.kind ?? error.type)) throw error
        })
      await at.poll(at.integrationId)
      await at.poll(again)
      expect(await at.effects(ref, 'acceptance')).toHaveLength(1)
      const stored = stage.db.selectFrom('chargeback').select(['id', 'integration_id']).where('chargeback_id', '=', ref)
      expect(await stored.execute()).toEqual([{ id, integration_id: again }])
    })
  },
)

test('notifications in an inbox move in the same transaction as their chargeback', async () => {
  await using at = await openConnections('adyen')
  const { stage, merchantUuid } = at
  const { ref } = await at.open()
  await at.deactivate(at.integrationId)
  const again = await at.connect(merchantUuid)
  const { claimed_account } = await at.row(at.integrationId)
  await stage.db.updateTable('integration').set({ claimed_account }).where('integration_id', '=', again).execute()
  expect(await adoptChargebacks(stage.db, stage.ring, { integrationId: again, subAccounts: [] })).toBe(1)
  const notifications = await stage.db.selectFrom('notification').select(['integration_id', 'references']).execute()
  const about = notifications.filter(({ references }) => references.includes(ref))
  expect(new Set(about.map((one) => one.integration_id))).toEqual(new Set([again]))
})
