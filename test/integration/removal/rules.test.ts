import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { endCommand } from '../../../db/commands/command-ends.ts'
import { loadCommand } from '../../../db/commands/commands.ts'
import { earlierTransactionsEnded, readTransactionMark } from '../../../db/erasure/removals.ts'
import { samplePdf } from '../../harness/sample-files.ts'
import { until } from '../../harness/until.ts'
import { addChargeback, addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { type Fixture, openFixture } from './fixture.ts'

let fixture: Fixture
beforeAll(async () => {
  fixture = await openFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())

const jane = (mark: string) => ({
  email: `jane.${mark}@example.com`,
  firstName: 'Jane',
  lastName: "O'Doe",
  phone: `+1555-${mark}`,
})
const post = async (path: string, body: unknown) => {
  const response = await fixture.call('POST', path, body)
  expect(response.status).toBe(201)
  return response.body.id as string
}
/** An open chargeback of a new person. */
async function opened(order: object = {}) {
  const { reference } = await fixture.dispute({ reason: '10.4', dueInHours: 400, ...order })
  await fixture.poll()
  return fixture.chargeback(reference)
}
const patch = async (id: string, points: object) =>
  expect((await fixture.call('PATCH', `/chargebacks/${id}`, points)).status).toBe(201)

describe('POST /data-subjects/removal', () => {
  test('responds at once, with the same text for known and unknown persons', async () => {
    const who = { email: 'known@example.com', firstName: 'A', lastName: 'B' }
    await post('/transactions', { transactionId: 'known', transactionOrderEmail: who.email })
    const [known, unknown] = [
      await fixture.call('POST', '/data-subjects/removal', who),
      await fixture.call('POST', '/data-subjects/removal', { ...who, email: 'nobody@example.com' }),
    ]
    expect(known).toMatchObject({ status: 201, text: '{"status":201,"message":"Removal requested"}' })
    expect(unknown.text).toBe(known.text)
  })

  test('seals the person, gives the worker only an id, and repeats its response for an Idempotency-Key', async () => {
    const who = { email: 'canary.person@example.com', firstName: 'Canaria', lastName: 'Bird' }
    const ask = () => fixture.call('POST', '/data-subjects/removal', who, { 'idempotency-key': 'removal-1' })
    const [first, again] = [await ask(), await ask()]
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    const rows = await fixture.stage.db.selectFrom('removal').selectAll().where('status', '=', 'created').execute()
    const outbox = await fixture.stage.db
      .selectFrom('outbox')
      .selectAll()
      .where('kind', '=', 'remove_data_subject')
      .execute()
    expect(outbox.at(-1)?.payload).toEqual({ removalId: rows.at(-1)?.removal_id })
    expect(JSON.stringify([rows, outbox, fixture.stage.lines], (_, v) => (typeof v === 'bigint' ? 0 : v))).not.toMatch(
      /canar/i,
    )
  })

  test.each([
    [{}, 'email: Required; firstName: Required; lastName: Required'],
    [{ email: 'jane', firstName: 'A', lastName: 'B' }, 'email: Must be an e-mail address'],
    [{ email: 'a@b.org', firstName: '', lastName: '--' }, 'firstName: '],
    [{ email: 'a@b.org', firstName: 'A', lastName: '--' }, 'lastName: Must hold a letter or digit'],
    [{ email: null, firstName: 1, lastName: 'x'.repeat(101) }, 'email: '],
    [{ email: 'a@b.org', firstName: 'A', lastName: 'B', phone: '1' }, 'phone: Unknown field'],
  ])('refuses %j', async (body, message) => {
    const response = await fixture.call('POST', '/data-subjects/removal', body)
    expect(response).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } })
  })
})

describe('an erasure', () => {
  test('spares data that names another person next to the address', async () => {
    const who = jane('shared')
    const [theirs, hers] = [await opened(), await opened()]
    await patch(theirs.id, { buyer: { email: who.email, name: 'John Smith' } })
    await patch(hers.id, { buyer: { email: who.email.toUpperCase(), name: "O'DOE, Jane" } })
    expect(await fixture.remove(who)).toBe(true)
    expect(await fixture.proof()).toMatchObject({ chargebacks: 1, dataPoints: 1 })
    expect(await fixture.placesOf(who)).toEqual(['client_data.sealed'])
  })

  test('is limited to one merchant: another merchant’s records of the same person stay', async () => {
    const who = jane('elsewhere')
    const { stage } = fixture
    const other = await stage.newMerchant(stage.accountId, 'other-shop')
    const { token } = await stage.issue({
      accountId: stage.accountId,
      scope: 'merchant',
      merchantUuid: other.merchantUuid,
    })
    const theirs = { transactionId: 'theirs', transactionOrderEmail: who.email }
    expect((await stage.call('POST', '/v1/transactions', { token, body: theirs })).status).toBe(201)
    await post('/transactions', { transactionId: 'ours', transactionOrderEmail: who.email })
    expect(await fixture.remove(who)).toBe(true)
    const left = await stage.db
      .selectFrom('transaction_record')
      .select('transaction_id')
      .where('transaction_id', 'in', ['ours', 'theirs'])
      .execute()
    expect(left).toEqual([{ transaction_id: 'theirs' }])
  })

  test('erases files that were uploaded to the person’s chargeback or purchase, and no others', async () => {
    const who = jane('uploads')
    const { id, transaction_id } = await opened()
    await patch(id, { note: who.email })
    await post('/transactions', { transactionId: 'undisputed', transactionOrderEmail: who.email })
    const upload = async (metadata: object) => {
      const part = { name: 'metadata', content: JSON.stringify(metadata) }
      return (await fixture.upload(samplePdf(), [part])).id
    }
    const theirs = [
      await upload({ chargebackId: id }),
      await upload({ transactionId: transaction_id }),
      await upload({ transactionId: 'undisputed' }),
    ]
    const others = [await upload({ chargebackId: 'du_other' }), await upload({ scope: 'merchant', kind: 'policy' })]
    expect(await fixture.remove(who)).toBe(true)
    const erased = await fixture.stage.db
      .selectFrom('file')
      .select('file_id')
      .where('file_id', 'in', [...theirs, ...others])
      .where('content_sealed', 'is', null)
      .execute()
    expect(erased.map(({ file_id }) => file_id).sort()).toEqual(theirs.sort())
    expect(await fixture.proof()).toMatchObject({ files: 3 })
  })

  test('returns a chargeback to waiting for data if its evidence needs the erased data', async () => {
    const who = jane('needed')
    const { id } = await opened()
    const point = {
      transactionOrderEmail: who.email,
      transactionOrderDeviceId: 'd',
      transactionOrderSteamId: 's',
      transactionOrderUserAgent: 'u',
      transactionOrderItemsProductName: 'p',
      transactionCardFingerprint: 'f',
    }
    await patch(id, point)
    const status = async () => (await fixture.call('GET', `/chargebacks/${id}`)).body.data
    expect(await status()).toMatchObject({ status: 'building_evidence' })
    expect(await fixture.remove(who)).toBe(true)
    expect(await status()).toMatchObject({ status: 'waiting_for_data' })
    const timeline = (await fixture.call('GET', `/chargebacks/${id}/timeline`)).body.data as {
      what: string
      source: string
    }[]
    const events = timeline.filter(({ source }) => source === 'removal').map(({ what }) => what)
    expect(events.slice(0, 2)).toEqual(['personal data erased', 'status changed'])
  })

  test('waits for a running submission that still needs the data', async () => {
    const who = jane('held')
    const { id } = await opened()
    await patch(id, { note: who.email })
    const { id: fileId } = await fixture.upload(samplePdf({ content: `BT (To ${who.email}) Tj ET` }))
    const submission = await post(`/chargebacks/${id}/evidence/submit`, { fileId })
    expect(await fixture.remove(who)).toBe(false)
    expect(await fixture.placesOf(who)).toEqual(['file.content_sealed', 'removal.person_sealed'])
    const command = await loadCommand(fixture.stage.db, submission)
    if (command) await endCommand(fixture.stage.db, command, { status: 'succeeded' }, 'stripe')
    expect(await fixture.remove(who)).toBe(true)
    expect(await fixture.placesOf(who)).toEqual(['removal.person_sealed'])
  })
})

describe('a submission of another merchant', () => {
  test('does not delay the removal, although its file shows the same person', async () => {
    const who = jane('foreign')
    const { stage } = fixture
    const { merchantUuid } = await stage.newMerchant(stage.accountId, 'third-shop')
    const { token } = await stage.issue({ accountId: stage.accountId, scope: 'merchant', merchantUuid })
    const integrationId = await addIntegration(stage.db, stage.ring, merchantUuid)
    const id = await addChargeback(stage.db, { merchantUuid, integrationId })
    const pdf = samplePdf({ content: `BT (To ${who.email}) Tj ET` })
    const { id: fileId } = await fixture.upload(pdf, [], { authorization: `Bearer ${token}` })
    const path = `/v1/chargebacks/${id}/evidence/submit`
    expect((await stage.call('POST', path, { token, body: { fileId } })).status).toBe(201)
    expect(await fixture.remove(who)).toBe(true)
  })
})

describe('a removal during a poll', () => {
  test('does not start before transactions that may not see it have ended', async () => {
    const { db } = fixture.stage
    let transactionMark = ''
    await db.transaction().execute(async (writer) => {
      await writer.updateTable('integration').set({ notification_at: new Date() }).execute()
      transactionMark = await readTransactionMark(db)
      expect(await earlierTransactionsEnded(db, transactionMark)).toBe(false)
    })
    await until('they have ended', () => earlierTransactionsEnded(db, transactionMark))
  })

  test('makes the poll read again if it has read the person, so that no data comes back', async () => {
    const { reference, payer } = await fixture.dispute()
    fixture.atFaultPoint.set('poll.before_page', async () => {
      fixture.atFaultPoint.clear()
      expect(await fixture.remove(payer)).toBe(true)
    })
    await expect(fixture.poll()).rejects.toThrow('erased while this was at work')
    await fixture.poll()
    expect(await fixture.chargeback(reference)).toMatchObject({ psp_status: 'needs_response' })
    expect(await fixture.placesOf(payer)).toEqual([])
  })
})
