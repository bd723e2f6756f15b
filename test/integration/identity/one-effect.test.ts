import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { openClientData } from '../../../db/chargebacks/chargeback-data.ts'
import { changeDataPoints } from '../../../db/chargebacks/client-data.ts'
import { readTimeline } from '../../../db/chargebacks/timeline.ts'
import { issueCredential } from '../../../db/merchants/credentials.ts'
import { copyOf as copy } from '../../harness/copies.ts'
import { type Connections, openConnections } from './connections.ts'

let at: Connections
beforeAll(async () => {
  at = await openConnections('stripe')
})
afterAll(() => at[Symbol.asyncDispose]())

const copyOf = (id: string, to: { merchantUuid: string; integrationId: string }) => copy(at.stage.db, id, to)
const accept = (id: string) => at.stage.call('POST', `/v1/chargebacks/${id}/accept`)

describe('two chargebacks of one dispute', () => {
  test('are accepted once, for any order and number of concurrent requests', async () => {
    const { id } = await at.open()
    const second = await at.connect(at.merchantUuid, { externalIdentifier: 'second' })
    await at.stage.db
      .updateTable('integration')
      .set({ status: 'SUCCESSFUL' })
      .where('integration_id', '=', second)
      .execute()
    const copies = [id]
    copies.push(await copyOf(id, { merchantUuid: at.merchantUuid, integrationId: second }))
    const responses = await Promise.all([...copies, ...copies].map((one) => accept(one)))
    const codes = responses.map(({ status, body }) => `${status} ${body.code ?? ''}`.trim()).sort()
    expect(codes).toEqual(['200', '200', '400 answered_elsewhere', '400 answered_elsewhere'])
    const commands = await at.stage.db.selectFrom('command').selectAll().where('chargeback_id', 'in', copies).execute()
    expect(commands).toHaveLength(1)
  })

  test('are accepted once, even if they belong to two tenants', async () => {
    const { id } = await at.open()
    const other = await at.newMerchant()
    const integrationId = await at.connect(other)
    await at.stage.db
      .updateTable('integration')
      .set({ status: 'SUCCESSFUL' })
      .where('integration_id', '=', integrationId)
      .execute()
    const theirs = await copyOf(id, { merchantUuid: other, integrationId })
    const { db, ring, environment, accountId } = { ...at.stage, environment: at.stage.deps.environment }
    const credential = await issueCredential(db, ring, {
      accountId,
      environment,
      scope: 'merchant',
      merchantUuid: other,
    })
    expect((await accept(id)).status).toBe(200)
    const response = await at.stage.call('POST', `/v1/chargebacks/${theirs}/accept`, { token: credential.token })
    expect([response.status, response.body.code]).toEqual([400, 'answered_elsewhere'])
    expect(response.text ?? JSON.stringify(response.body)).not.toContain(id)
  })

  test('are refused a second command by the database, too', async () => {
    const { id } = await at.open()
    await accept(id)
    const [command] = await at.stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).execute()
    const copy = await copyOf(id, { merchantUuid: at.merchantUuid, integrationId: await inactive() })
    const twin = { ...command, command_id: command?.command_id.replace(/^./, 'f'), chargeback_id: copy }
    const inserting = at.stage.db.insertInto('command').values(twin as never)
    await expect(inserting.execute()).rejects.toThrow(/command_one_per_dispute/)
  })

  test('with an account that is not known yet: the second is refused, too', async () => {
    const { id } = await at.open()
    const copy = await copyOf(id, { merchantUuid: at.merchantUuid, integrationId: await inactive() })
    await at.stage.db.updateTable('chargeback').set({ psp_account: '?' }).where('id', '=', copy).execute()
    await accept(id)
    expect((await accept(copy)).body.code).toBe('answered_elsewhere')
  })
})

async function inactive(): Promise<string> {
  const integrationId = await at.connect(at.merchantUuid, { externalIdentifier: `gone-${Math.random()}` })
  await at.deactivate(integrationId)
  return integrationId
}

describe('recoup integration duplicates', () => {
  const recoup = async (...args: string[]) => {
    const lines: string[] = []
    const env = { DATABASE_URL: at.stage.database.url, RECOUP_ENCRYPTION_KEYS: at.stage.keys }
    const out = (text: string) => void lines.push(text)
    const why = ['--reason', 'Connected twice.']
    const code = await runCommandLine(['integration', 'duplicates', ...args, ...why, '--json'], { env, out, err: out })
    return { code, found: JSON.parse(lines.join('\n')) }
  }

  test('reports them, merges what can be merged, and records that in both timelines', async () => {
    const { id, ref } = await at.open()
    const former = await inactive()
    const copy = await copyOf(id, { merchantUuid: at.merchantUuid, integrationId: former })
    const reported = await recoup()
    const own = reported.found.find((one: { reference: string }) => one.reference === ref)
    expect(own).toMatchObject({ blocked: null, copies: [{ chargebackId: id }, { chargebackId: copy }] })

    await recoup('--merge')
    expect((await recoup()).found.filter((one: { reference: string }) => one.reference === ref)).toEqual([])
    const read = (chargebackId: string) => readTimeline(at.stage.db, { merchantUuid: at.merchantUuid, chargebackId })
    expect((await read(copy)).at(-1)).toMatchObject({
      what: 'merged into another chargeback',
      after: { chargebackId: id },
    })
    expect((await read(id)).at(-1)).toMatchObject({
      what: 'merged with another chargeback',
      after: { chargebackId: copy },
    })
    const { body } = await at.stage.call('GET', `/v1/chargebacks?limit=100&chargebackId=${ref}`)
    expect(body.data.map((one: { id: string }) => one.id)).toEqual([id])
    expect((await at.stage.call('GET', `/v1/chargebacks/${copy}`)).status).toBe(200)
    expect((await accept(copy)).body).toMatchObject({ code: 'merged', message: expect.stringContaining(id) })
  })

  test('moves data points that only the merged one has', async () => {
    const { id } = await at.open()
    const copy = await copyOf(id, { merchantUuid: at.merchantUuid, integrationId: await inactive() })
    const setPoints = (chargebackId: string, points: Record<string, string>) =>
      changeDataPoints(at.stage.db, at.stage.ring, {
        ...{ merchantUuid: at.merchantUuid, chargebackId, credentialId: at.stage.credentialId },
        ...{ now: new Date(), points },
      })
    await setPoints(id, { orderNumber: 'kept' })
    await setPoints(copy, { orderNumber: 'merged', deliveryDate: '2026-03-01' })
    await recoup('--merge')
    const row = at.stage.db.selectFrom('client_data').selectAll().where('chargeback_id', '=', id)
    const { sealed } = await row.executeTakeFirstOrThrow()
    expect(openClientData(at.stage.ring, id, sealed)).toEqual({ orderNumber: 'kept', deliveryDate: '2026-03-01' })
  })

  test('keeps those of two merchants, or of two integrations that are polled, and says what to do', async () => {
    const [merchants, integrations] = [await at.open(), await at.open()]
    const other = await at.newMerchant()
    await copyOf(merchants.id, { merchantUuid: other, integrationId: await at.connect(other) })
    const second = await at.connect(at.merchantUuid, { externalIdentifier: 'polled as well' })
    await copyOf(integrations.id, { merchantUuid: at.merchantUuid, integrationId: second })
    const { found } = await recoup('--merge')
    for (const [{ ref }, blocked] of [
      [merchants, /more than one merchant/],
      [integrations, new RegExp(`deactivate all but one of the integrations .*${second}`)],
    ] as const) {
      const left = found.find((one: { reference: string }) => one.reference === ref)
      expect(left).toMatchObject({ kept: null, merged: [], blocked: expect.stringMatching(blocked) })
    }
  })
})
