import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { braintreeSimulator, DEMO_MERCHANT, VIEW_ONLY_KEYS } from '../../../../simulators/braintree/index.ts'
import { SITUATIONS } from '../../../../simulators/braintree/situations.ts'
import { escaped } from '../../../../simulators/braintree/xml.ts'
import { readXml } from '../../../../simulators/braintree/xml-reader.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import {
  type Anything,
  connectTo,
  packetOf,
  SECRET,
  type Simulated,
  simulated,
} from '../../adapters/braintree/connect.ts'

const KEYS = { publicKey: SECRET.publicKey, privateKey: SECRET.secretKey }

interface Raw {
  method?: string
  body?: string
  headers?: Record<string, string>
  keys?: { publicKey?: string | undefined; privateKey: string }
  merchant?: string
}

/** Calls the simulator without an SDK. */
async function raw(braintree: Simulated, path: string, options: Raw = {}) {
  const { method = 'GET', body, headers = {}, keys = KEYS, merchant = DEMO_MERCHANT } = options
  const authorization = `Basic ${Buffer.from(`${keys.publicKey}:${keys.privateKey}`).toString('base64')}`
  const response = await fetch(`${braintree.running.url}/merchants/${merchant}/${path}`, {
    method,
    headers: { authorization, 'x-apiversion': '6', 'content-type': 'application/xml', ...headers },
    ...(body !== undefined && { body }),
  })
  return { status: response.status, text: await response.text(), type: response.headers.get('content-type') }
}

const search = (braintree: Simulated, criteria: string) =>
  raw(braintree, 'disputes/advanced_search?page=1', { method: 'POST', body: `<search>${criteria}</search>` })
const totalOf = (text: string) => Number(/<total-items type="integer">(\d+)</.exec(text)?.[1])

describe('requests in XML, as the SDKs of other languages send them', () => {
  test('lists in upper or lower case, and absent values as empty elements', async () => {
    await using braintree = await simulated()
    await braintree.create({ count: 22 })
    const lists = await search(braintree, '<status type="array"><item>OPEN</item><item>won</item></status>')
    expect(totalOf(lists.text)).toBe(6)
    const range = await search(braintree, '<received_date><min>01/01/2020</min><max></max></received_date>')
    expect(totalOf(range.text)).toBe(22)
    const iso = await search(braintree, '<received-date><min>2020-01-01T00:00:00Z</min></received-date>')
    expect(totalOf(iso.text)).toBe(22)
  })

  test('evidence with an empty category and a sequence number', async () => {
    await using braintree = await simulated()
    const [reference] = await braintree.create({ count: 1, status: 'open' })
    const body =
      '<evidence><comments>a &amp; b</comments><category/><sequence-number type="integer">3</sequence-number></evidence>'
    const { status, text } = await raw(braintree, `disputes/${reference}/evidence`, { method: 'POST', body })
    expect(status).toBe(201)
    expect(text).toContain('<category>GENERAL</category><comment>a &amp; b</comment>')
    expect(text).toContain('<sequence-number type="integer">3</sequence-number>')
  })

  test('merchant accounts with a trailing slash', async () => {
    await using braintree = await simulated()
    expect((await raw(braintree, 'merchant_accounts/?page=1')).status).toBe(200)
  })

  test('XML is read as Rails reads it', () => {
    expect(
      readXml('<?xml version="1.0"?><a><b-c type="integer">7</b-c><d nil="true"/><e type="array"><x>1</x></e></a>'),
    ).toEqual({
      a: { b_c: 7, d: null, e: ['1'] },
    })
    for (const broken of ['<a>', '<a></b>', 'text', '<a/><b/>', '']) expect(() => readXml(broken)).toThrow()
    const odd = 'a <b> & "c" \r\n]]>'
    expect(readXml(`<a>${escaped(odd)}</a>`)).toEqual({ a: odd })
  })
})

describe('the simulator is as strict as Braintree', () => {
  test('about keys, version, merchant, rights and content type', async () => {
    await using braintree = await simulated()
    const [reference] = await braintree.create({ count: 1, status: 'open' })
    const path = `disputes/${reference}`
    const statusOf = async (options: Raw, at = path) => (await raw(braintree, at, options)).status
    expect(await statusOf({ keys: { publicKey: KEYS.publicKey, privateKey: 'wrong' } })).toBe(401)
    expect(await statusOf({ headers: { 'x-apiversion': '5' } })).toBe(426)
    expect(await statusOf({ merchant: 'somebodyelse' })).toBe(404)
    expect(await statusOf({ keys: VIEW_ONLY_KEYS })).toBe(200)
    expect(await statusOf({ keys: VIEW_ONLY_KEYS, method: 'PUT' }, `${path}/accept`)).toBe(403)
    expect(
      await statusOf({ method: 'POST', body: 'a=b', headers: { 'content-type': 'text/plain' } }, `${path}/evidence`),
    ).toBe(415)
    expect(await statusOf({ method: 'POST', body: '<evidence>' }, `${path}/evidence`)).toBe(400)
    expect(await statusOf({}, 'disputes/unknown')).toBe(404)
  })

  test.each([
    '<updated_at><min>2026-01-01</min></updated_at>',
    '<created_at><min>2026-01-01</min></created_at>',
    '<status>open</status>',
    '<received_date><min>yesterday</min></received_date>',
    '<id><like>x</like></id>',
  ])('the search %s returns 422', async (criteria) => {
    await using braintree = await simulated()
    expect((await search(braintree, criteria)).status).toBe(422)
  })

  test('every list of errors is an array: anything else would crash the SDK', async () => {
    await using braintree = await simulated()
    const [reference] = await braintree.create({ count: 1, status: 'won' })
    const { status, text } = await raw(braintree, `disputes/${reference}/accept`, { method: 'PUT' })
    expect(status).toBe(422)
    expect(text).toContain('<code>95704</code>')
    expect(text.match(/<errors type="array"/g)).toHaveLength(2)
  })
})

describe('XML that every SDK can read', () => {
  const dispute = (braintree: Simulated, reference: string): Anything => {
    const record = braintree.running.engine.find(reference)
    return record && braintree.running.engine.read(record)
  }

  test('no nil next to a type, no fraction of a second, no CDATA, lists as arrays', async () => {
    await using braintree = await simulated()
    await braintree.create({ count: SITUATIONS.length })
    const { text, type } = await search(braintree, '')
    expect(type).toBe('application/xml; charset=utf-8')
    expect(text).not.toMatch(/type="[a-z]+" nil|nil="true" type|\d\.\d+Z|CDATA/)
    expect(text.match(/<status-history type="array">/g)).toHaveLength(SITUATIONS.length)
    expect(text).toContain('<current-page-number type="integer">1</current-page-number>')
  })

  test('no transaction has an empty element: an unused part has nil fields, as the SDK for Python needs', async () => {
    await using braintree = await simulated()
    await braintree.create({ count: 93 })
    const records = braintree.running.engine.account(DEMO_MERCHANT).disputes.all()
    let unused = 0
    for (const { reference } of records) {
      const { transaction } = dispute(braintree, reference)
      const { text } = await raw(braintree, `transactions/${transaction.id}`)
      expect(text.match(/<([\w-]+)><\/\1>|<[\w-]+\/>/g)).toBeNull()
      for (const part of ['shipping', 'credit-card']) {
        // An unused part still has its fields, each of them nil.
        expect(text).toMatch(new RegExp(`<${part}><[\\s\\S]*</${part}>`))
        if (new RegExp(`<${part}>(<[\\w-]+ nil="true"/>)+</${part}>`).test(text)) unused++
      }
    }
    expect(records).toHaveLength(93)
    expect(unused).toBeGreaterThan(40)
  })

  test('pages of fifty, each dispute once', async () => {
    await using braintree = await simulated()
    const created = await braintree.create({ count: 120 })
    const ids: string[] = []
    for (const page of [1, 2, 3]) {
      const { text } = await raw(braintree, `disputes/advanced_search?page=${page}`, {
        method: 'POST',
        body: '<search/>',
      })
      ids.push(...[...text.matchAll(/<dispute><id>(\w+)</g)].map(([, id = '']) => id))
    }
    expect(ids.toSorted()).toEqual(created.toSorted())
  })
})

describe('the life of a dispute', () => {
  const objectOf = async (braintree: Simulated, reference = '') =>
    JSON.parse((await braintree.adapter.fetchDispute(reference)).text) as Anything

  test('every situation is created in turn', async () => {
    await using braintree = await simulated()
    const { disputes } = await braintree.control('POST', '/disputes', { count: SITUATIONS.length })
    expect(disputes.map(({ status }: Anything) => status)).toEqual(SITUATIONS.map(({ word }) => word))
  })

  test('after the reply-by date it is accepted, or expired if evidence is staged', async () => {
    await using braintree = await simulated()
    const [silent, staged] = await braintree.create({ count: 2, status: 'open', stage: 'chargeback', dueInHours: 30 })
    await braintree.adapter.stageEvidence(await packetOf(braintree.adapter, staged ?? ''))
    await braintree.control('POST', '/clock', { seconds: 31 * 3600 })
    expect((await objectOf(braintree, silent)).status).toBe('auto_accepted')
    const expired = await objectOf(braintree, staged)
    expect([expired.status, expired.statusHistory.at(-1).status]).toEqual(['expired', 'expired'])
  })

  test.each([
    ['compelling_evidence', 'won'],
    ['losing_evidence', 'lost'],
  ])('the sandbox decides by %s', async (text, status) => {
    await using braintree = await simulated()
    const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback' })
    await braintree.adapter.submitEvidence(await packetOf(braintree.adapter, reference, { GENERAL: text }))
    await braintree.control('POST', '/clock', { seconds: 5 })
    expect((await objectOf(braintree, reference)).status).toBe(status)
  })

  test('it can be decided as a split, but not if Visa has decided', async () => {
    await using braintree = await simulated()
    const [reference = ''] = await braintree.create({
      count: 1,
      status: 'disputed',
      stage: 'chargeback',
      amount: '100.00',
      currency: 'USD',
    })
    await braintree.control('POST', `/disputes/${reference}/decide`, { outcome: 'split' })
    expect(await objectOf(braintree, reference)).toMatchObject({ status: 'won', amountWon: '50.00' })
    const [rdr = ''] = await braintree.create({ count: 1, stage: 'alert' })
    await expect(braintree.control('POST', `/disputes/${rdr}/decide`, { outcome: 'won' })).rejects.toThrow('final')
  })

  test('documents use up its storage, and too many of them are refused', async () => {
    await using braintree = await simulated()
    const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback' })
    const data = Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(3_000_000)])
    const file = { name: 'a.pdf', type: 'application/pdf', data }
    const { fileReference } = await braintree.adapter.uploadFile({ reference, file, idempotencyKey: 'k' })
    const files = { GENERAL: fileReference, PROOF_OF_DELIVERY: fileReference, TICKET_PROOF: fileReference }
    const request = { reference, files, texts: {}, digest: 'd'.repeat(64), idempotencyKey: 'k' }
    await expect(braintree.adapter.stageEvidence(request)).rejects.toThrow('4 MB')
    expect((await braintree.adapter.describeEvidence(reference)).maxTotalBytes).toBeLessThan(1_500_000)
  })
})

test('a restarted simulator continues with its saved state', async () => {
  const snapshotFile = join(mkdtempSync(join(tmpdir(), 'braintree-')), 'state.jsonl')
  let [reference, text] = ['', '']
  {
    await using running = await startSimulator(braintreeSimulator, { snapshotFile })
    const order = JSON.stringify({ count: 30, status: 'open', stage: 'chargeback' })
    const created: Anything = await (
      await fetch(`${running.controlUrl}/disputes`, { method: 'POST', body: order })
    ).json()
    reference = created.disputes[3].ref
    const adapter = connectTo(running.url)
    await adapter.submitEvidence(await packetOf(adapter, reference))
    text = (await adapter.fetchDispute(reference)).text
  }
  await using again = await startSimulator(braintreeSimulator, { snapshotFile })
  expect((await connectTo(again.url).fetchDispute(reference)).text).toBe(text)
  expect(again.engine.ledger.effects.map(({ kind }) => kind)).toEqual(['upload', 'submission'])
})
