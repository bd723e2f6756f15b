import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changeDataPoints } from '../../../db/client-data.ts'
import { readTimeline } from '../../../db/timeline.ts'
import { type Connections, openConnections } from './connections.ts'

describe.each(['stripe', 'paypal', 'adyen'])('connecting an account at %s again after a deactivation', (source) => {
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
    // What the PSP sent went along, sealed for its new place: reading it again proves it.
    const raw = await stage.db.selectFrom('raw_object').select('integration_id').where('kind', '=', 'dispute').execute()
    expect(new Set(raw.map((row) => row.integration_id))).toEqual(new Set([again]))
    const [{ ref } = { ref: '' }] = disputes
    await at.control('POST', `/disputes/${ref}/decide`, { outcome: 'won' })
  })
})
