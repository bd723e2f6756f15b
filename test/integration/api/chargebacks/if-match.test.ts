import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Stage } from '../stage.ts'
import { addChargeback, addEvidenceFile, type Place, stageWithIntegration } from './chargeback-rows.ts'

let stage: Stage
let at: Place
let fileId: string
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
  fileId = await addEvidenceFile(stage, at.merchantUuid)
})
afterAll(() => stage[Symbol.asyncDispose]())

const tagOf = async (id: string, query = '', headers = {}) =>
  (await stage.call('GET', `/v1/chargebacks/${id}${query}`, { headers })).headers.get('etag') ?? ''
const change = (id: string, row: object) => stage.db.updateTable('chargeback').set(row).where('id', '=', id).execute()
const commands = (id: string) => stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).execute()
const changed = { status: 412, body: { code: 'chargeback_changed' } }

const ACTS: [string, number, string, string, () => object | undefined][] = [
  ['accept', 200, 'POST', '/accept', () => undefined],
  ['submit', 201, 'POST', '/evidence/submit', () => ({ fileId })],
  ['decide', 201, 'PATCH', '/should-fight', () => ({ shouldFight: false })],
]

describe.each(ACTS)('%s with If-Match', (_, status, method, path, body) => {
  const act = (id: string, tag: string, headers = {}) => {
    const given = body()
    return stage.call(method, `/v1/chargebacks/${id}${path}`, {
      headers: { 'if-match': tag, ...headers },
      ...(given && { body: given }),
    })
  }

  it.each(['', '?expand=actions,reasonGroup'])('is done while the chargeback is as read%s', async (query) => {
    const id = await addChargeback(stage.db, at)
    expect((await act(id, await tagOf(id, query))).status).toBe(status)
  })

  it.each([
    ['the amount', { amount_minor: 9_999n }],
    ['the due date', { due_date: new Date(Date.now() + 3_600_000) }],
    ['the stage', { lifecycle_stage: 'second_chargeback' }],
    ['the win probability', { win_probability: '12.3' }],
  ])('does nothing once %s has changed: 412', async (_what, row) => {
    const id = await addChargeback(stage.db, at)
    const tag = await tagOf(id, '?expand=actions')
    await change(id, row)
    expect(await act(id, tag)).toMatchObject(changed)
    expect(await commands(id)).toEqual([])
    const { data } = (await stage.call('GET', `/v1/chargebacks/${id}/timeline`)).body
    expect(data).toEqual([])
    expect((await act(id, await tagOf(id))).status).toBe(status)
  })

  it('takes several tags, weak ones and *, and refuses what is no tag', async () => {
    const id = await addChargeback(stage.db, at)
    for (const tag of ['"nothing"', 'nothing', '', 'W/"nothing", "or-this"'])
      expect(await act(id, tag), tag).toMatchObject(changed)
    expect((await act(id, `"nothing", W/${await tagOf(id)}`)).status).toBe(status)
    expect((await act(await addChargeback(stage.db, at), '*')).status).toBe(status)
  })

  it('a repeated request that would start nothing is answered as without it; a lost answer by its key', async () => {
    const id = await addChargeback(stage.db, at)
    const key = { 'idempotency-key': `key-${id}` }
    const tag = await tagOf(id)
    const first = await act(id, tag, key)
    await change(id, { amount_minor: 9_999n })
    const again = await act(id, tag, key)
    expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([status, first.text, 'true'])
    expect((await act(id, tag)).status).toBe(status)
  })
})

it('a change that clients do not see, such as a poll, is no change', async () => {
  const id = await addChargeback(stage.db, at)
  const tag = await tagOf(id)
  await change(id, { version: 7n, read_at: new Date(), content_hash: Buffer.alloc(32, 1) })
  expect((await stage.call('POST', `/v1/chargebacks/${id}/accept`, { headers: { 'if-match': tag } })).status).toBe(200)
})

it('another decision, and one that is refused, still need the tag to match', async () => {
  const id = await addChargeback(stage.db, at)
  const decide = (shouldFight: boolean, tag: string) =>
    stage.call('PATCH', `/v1/chargebacks/${id}/should-fight`, { headers: { 'if-match': tag }, body: { shouldFight } })
  const tag = await tagOf(id)
  expect((await decide(false, tag)).status).toBe(201)
  expect(await decide(true, tag)).toMatchObject(changed)
  await change(id, { psp_status: 'won' })
  expect(await decide(false, tag)).toMatchObject(changed)
  expect(await decide(false, await tagOf(id))).toMatchObject({ status: 400, body: { code: 'not_open' } })
})

it('of two people who read the same, and decide and accept at once, one does', async () => {
  const id = await addChargeback(stage.db, at)
  const headers = { 'if-match': await tagOf(id) }
  const replies = await Promise.all([
    stage.call('PATCH', `/v1/chargebacks/${id}/should-fight`, { headers, body: { shouldFight: false } }),
    stage.call('POST', `/v1/chargebacks/${id}/accept`, { headers }),
  ])
  expect(replies.filter(({ status }) => status < 300)).toHaveLength(1)
  expect(replies.filter(({ status }) => [400, 412].includes(status))).toHaveLength(1)
})
