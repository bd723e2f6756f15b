import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filesOfChargeback } from '../../../db/evidence/chargeback-files.ts'
import { addChargeback, addIntegration, type Place, stageWithIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { file, purpose, uploader } from '../api/evidence/uploads.ts'
import type { Stage } from '../api/stage.ts'
import { operatorsOf } from './audit-fixture.ts'

let stage: Stage
let at: Place
let operators: ReturnType<typeof operatorsOf>
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  operators = operatorsOf(stage)
})
afterAll(() => stage[Symbol.asyncDispose]())

/** Uploads a file with this metadata. @returns its id */
async function upload(metadata: object, headers: Record<string, string> = {}): Promise<string> {
  const parts = [file(), purpose(), { name: 'metadata', content: JSON.stringify(metadata) }]
  const { status, body } = await uploader(stage).upload(parts, headers)
  expect([status, body.metadata]).toEqual([201, JSON.stringify(metadata)])
  return body.id
}

const notReceived = (values: object = {}, place = at) =>
  addChargeback(stage.db, place, {
    ...{ card_scheme: 'visa', reason_code: '13.1', posting_date: new Date('2026-01-31T09:30:00Z') },
    ...values,
  })

const found = async (chargebackId: string, merchantUuid = at.merchantUuid) =>
  (await filesOfChargeback(stage.db, stage.ring, { merchantUuid, chargebackId })).map(({ fileId }) => fileId)

describe('files of a chargeback', () => {
  it('join by its id, the PSP’s id, an id of its transaction, or for all chargebacks; before or after it came', async () => {
    const own = [
      await upload({ chargebackId: 'du_joined', kind: 'receipt' }),
      await upload({ transactionId: 'ch_joined' }),
      await upload({ transactionId: 'pi_joined' }),
      await upload({ transactionId: 'order-7' }),
      await upload({ scope: 'merchant', kind: 'policy' }),
    ]
    await upload({ chargebackId: 'du_other' })
    await upload({ kind: 'receipt' })
    const ids = { transaction_id: 'ch_joined', external_transaction_identifier: 'pi_joined', arn: '7'.repeat(23) }
    const id = await notReceived({ chargeback_id: 'du_joined', ...ids })
    const record = { transactionId: 'order-7', transactionArn: '7'.repeat(23) }
    expect(await stage.call('POST', '/v1/transactions', { body: record })).toMatchObject({ status: 201 })
    own.push(await upload({ chargebackId: id.toUpperCase() }))
    expect(await found(id)).toEqual(own.toReversed())
    const files = await filesOfChargeback(stage.db, stage.ring, { merchantUuid: at.merchantUuid, chargebackId: id })
    expect(files.map(({ kind, of }) => `${kind} of the ${of}`)).toEqual([
      'other of the chargeback',
      'policy of the merchant',
      ...Array.from({ length: 3 }, () => 'other of the transaction'),
      'receipt of the chargeback',
    ])
    await stage.call('DELETE', `/v1/files/${own[0]}`)
    expect(await found(id)).not.toContain(own[0])
  })

  it('never come from another merchant, whatever their metadata says', async () => {
    const { merchantUuid } = await stage.newMerchant(stage.accountId)
    const { token } = await stage.issue({ accountId: stage.accountId, scope: 'merchant', merchantUuid })
    const theirs = { merchantUuid, integrationId: await addIntegration(stage.db, stage.ring, merchantUuid) }
    const same = { chargeback_id: 'du_same', transaction_id: 'ch_same' }
    const [mine, other] = [await notReceived(same), await notReceived(same, theirs)]
    const wide = await found(mine)
    for (const metadata of [
      { chargebackId: mine },
      { chargebackId: 'du_same' },
      { transactionId: 'ch_same' },
      { scope: 'merchant' },
    ])
      await upload(metadata, { authorization: `Bearer ${token}` })
    expect(await found(mine)).toEqual(wide)
    expect(await found(other, merchantUuid)).toHaveLength(3)
    // The merchant is part of the question, too.
    expect(await found(other)).toEqual([])
    expect(await found(mine, merchantUuid)).toEqual([])
  })

  it('keep metadata that has no meaning here, and don’t use it', async () => {
    const id = await notReceived({ chargeback_id: 'du_plain' })
    const before = await found(id)
    for (const metadata of [
      { chargebackId: 'du_unknown', transactionId: 'x' },
      { chargebackId: { id } },
      { scope: 'account' },
      { transactionId: 'ada@example.com' },
    ])
      await upload(metadata)
    expect(await found(id)).toEqual(before)
    const odd = await upload({ chargebackId: 'du_plain', kind: 'invoice' })
    const [newest] = await filesOfChargeback(stage.db, stage.ring, { merchantUuid: at.merchantUuid, chargebackId: id })
    expect(newest).toMatchObject({ fileId: odd, kind: 'other' })
    const rows = await stage.db
      .selectFrom('file')
      .select(['kind', 'chargeback_reference', 'transaction_reference'])
      .execute()
    expect(JSON.stringify(rows)).not.toMatch(/ada@|invoice/)
  })
})

describe('npm run recoup -- playbook preview', () => {
  it('gives the files letters by weight and names them after the sentences; captions only with --sentences', async () => {
    const id = await notReceived({
      chargeback_id: 'du_shown',
      transaction_created_date: new Date('2026-01-20T10:00:00Z'),
    })
    const receipt = await upload({ chargebackId: id, kind: 'receipt', caption: 'planted receipt' })
    const delivery = await upload({ chargebackId: id, kind: 'delivery', caption: 'planted proof of delivery' })
    const body = {
      orderItems: [{ name: 'planted shoes', quantity: 2, amount: '10.99 USD' }, 'planted'],
      customerCommunication: { sent: '2026-01-25', from: 'ada@example.com', body: 'planted thanks' },
      timeline: { when: '2026-01-22', what: 'planted event' },
      ...{ deliveryDate: '2026-01-24', transactionShippingToFullShippingAddress: '12 Mill Lane, LS1 4DY' },
      ...{ shippingCarrier: 'DHL', shippingTrackingNumber: '00340434161094042557', deliverySignedBy: 'planted name' },
    }
    expect(await stage.call('PATCH', `/v1/chargebacks/${id}`, { body })).toMatchObject({ status: 201 })
    const preview = await operators.json('playbook', 'preview', id)
    expect(preview.exhibits).toMatchObject([
      { letter: 'A', kind: 'delivery', of: 'chargeback', fileId: delivery, uploadedAt: expect.stringMatching(/Z$/) },
      { letter: 'B', kind: 'receipt', fileId: receipt },
    ])
    expect(preview.filesLeft).toMatchObject([{ kind: 'policy', why: 'no sentence refers to its kind' }])
    const letters = (named: string) => preview.statements.find((one: { id: string }) => one.id === named)?.letters
    expect([letters('delivered'), letters('ordered'), letters('message')]).toEqual([['A'], ['B'], []])
    // A signature counts, because a file shows the delivery.
    expect(letters('signed')).toEqual(['A'])
    expect(preview.warnings).toContainEqual({ code: 'unreadable', message: 'orderItems[1] is no object.' })
    expect(JSON.stringify(preview)).not.toMatch(/planted|Mill Lane|ada@/)

    const { out } = await operators.recoup(['playbook', 'preview', id, '--sentences'])
    const text = out.replaceAll(/\s+/g, ' ')
    expect(text).toContain('ordered: The order was for: 2 × planted shoes. (Exhibit B)')
    expect(text).toContain(`A: delivery of the chargeback, uploaded ${new Date().getUTCFullYear()}`)
    expect(text).toContain(`${receipt}, planted receipt`)
    expect(text).toContain('Order lines 2 × planted shoes: 10.99 USD')
    expect(text).toContain('Correspondence 25 January 2026, from ada@example.com: "planted thanks"')
    expect(text).toContain('Course of events 22 January 2026: planted event')
  })
})
