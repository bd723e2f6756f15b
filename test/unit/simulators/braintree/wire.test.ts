import { afterAll, describe, expect, test } from 'vitest'
import { DEMO_MERCHANT } from '../../../../simulators/braintree/index.ts'
import { INITIAL, SECRET, type Simulated, simulated } from '../../adapters/braintree/connect.ts'

/** Shared by the tests that need the default options. */
const braintree = await simulated()
afterAll(() => braintree[Symbol.asyncDispose]())

/** Calls the simulator without an SDK: with JSON, as the SDK for Node sends it, or with a form. */
async function call(at: Simulated, method: string, path: string, body?: object | FormData) {
  const form = body instanceof FormData
  const authorization = `Basic ${Buffer.from(`${SECRET.publicKey}:${SECRET.secretKey}`).toString('base64')}`
  const response = await fetch(`${at.running.url}/merchants/${DEMO_MERCHANT}/${path}`, {
    method,
    headers: { authorization, 'x-apiversion': '6', ...(body && !form && { 'content-type': 'application/json' }) },
    ...(body && { body: form ? body : JSON.stringify(body) }),
  })
  return { status: response.status, text: await response.text(), encoding: response.headers.get('content-encoding') }
}

const codesOf = (text: string) => [...text.matchAll(/<code>(\d+)</g)].map(([, code]) => code)

async function open(at: Simulated) {
  const [reference = ''] = await at.create({ count: 1, status: 'open', stage: 'chargeback' })
  return `disputes/${reference}`
}

function uploadOf(name: string, bytes: string | Buffer, kind: [string, string] | null) {
  const form = new FormData()
  form.set('file', new File([new Uint8Array(Buffer.from(bytes))], name))
  if (kind) form.set(...kind)
  return form
}

const EVIDENCE = ['document_upload[kind]', 'evidence_document'] as [string, string]

describe('uploads', () => {
  test.each([
    ['84901', 'kind', 'a.pdf', '%PDF-1.4', ['document_upload[kind]', 'identity_document']],
    ['84902', 'file', 'a.pdf', `%PDF-1.4${' '.repeat(4 * 1024 * 1024)}`, EVIDENCE],
    ['84903', 'file', 'a.gif', 'GIF89a', EVIDENCE],
    ['84904', 'file', 'a.pdf', 'no PDF at all', EVIDENCE],
    ['84904', 'file', 'a.pdf', '%PDF-1.4 << /Encrypt 5 0 R >>', EVIDENCE],
    ['84905', 'file', 'a.pdf', `%PDF-1.4${'<< /Type /Page >>'.repeat(51)}`, EVIDENCE],
    ['84906', 'file', 'a.pdf', '', EVIDENCE],
  ] as const)('return %s below document-upload, for the attribute %s', async (code, attribute, name, bytes, kind) => {
    const form = uploadOf(name, bytes, [...kind])
    const { status, text } = await call(braintree, 'POST', 'document_uploads', form)
    expect([status, codesOf(text)]).toEqual([422, [code]])
    expect(text).toContain(`<document-upload><errors type="array"><error><code>${code}`)
    expect(text).toContain(`<attribute type="symbol">${attribute}</attribute>`)
  })

  test('are created, also with the part that the SDK for Python sends', async () => {
    for (const kind of [EVIDENCE, ['kind', 'evidence_document'] as [string, string]]) {
      const { status, text } = await call(braintree, 'POST', 'document_uploads', uploadOf('a.pdf', '%PDF-1.4', kind))
      expect(status).toBe(201)
      expect(text).toMatch(/<document-upload><id>\w+<\/id>.*<name>a\.pdf<\/name>.*<expires-at type="datetime">/)
    }
  })
})

describe('evidence', () => {
  test('returns 201, returns one space when it is removed, and is refused once the dispute is closed', async () => {
    const dispute = await open(braintree)
    const evidence = { evidence: { comments: 'x', category: 'GENERAL' } }
    const { status, text } = await call(braintree, 'POST', `${dispute}/evidence`, evidence)
    const id = /<id>(\w+)</.exec(text)?.[1]
    expect(status).toBe(201)
    expect(await call(braintree, 'DELETE', `${dispute}/evidence/${id}`)).toMatchObject({ status: 200, text: ' ' })
    expect((await call(braintree, 'DELETE', `${dispute}/evidence/${id}`)).status).toBe(404)
    await call(braintree, 'PUT', `${dispute}/accept`)
    const [added, removed, finalized] = [
      await call(braintree, 'POST', `${dispute}/evidence`, evidence),
      await call(braintree, 'DELETE', `${dispute}/evidence/${id}`),
      await call(braintree, 'PUT', `${dispute}/finalize`),
    ].map((response) => response.text)
    expect(added).toContain('95701</code><attribute type="symbol">status')
    expect(added).toContain('Evidence can only be attached to disputes that are in an Open state')
    expect(removed).toContain('Evidence can only be removed from disputes that are in an Open state')
    expect(finalized).toContain('Disputes can only be finalized when they are in an Open state')
  })

  test.each([
    ['95703', 'dispute', { document_upload_id: 'gone', category: 'GENERAL' }],
    ['95706', 'dispute', { comments: 'x', category: 'OF_NEXT_YEAR' }],
    ['95707', 'dispute', { comments: 'soon', category: 'DOWNLOAD_DATE_TIME' }],
    ['95708', 'dispute', { comments: 'x'.repeat(51), category: 'GEOGRAPHICAL_LOCATION' }],
    ['95709', 'dispute', { comments: '7'.repeat(24), category: 'CREDIT_ISSUED_ARN' }],
    ['95710', 'dispute', { comments: '1'.repeat(21), category: 'PRIOR_NON_DISPUTED_TRANSACTION_PHONE_NUMBER' }],
    ['95711', 'dispute', { document_upload_id: 'FILE', category: 'TRACKING_NUMBER' }],
    ['95712', 'dispute', { comments: 'x', category: 'TICKET_PROOF' }],
    ['95715', 'dispute', { comments: 'ada', category: 'PURCHASER_EMAIL_ADDRESS' }],
  ])('returns %s below %s', async (code, node, evidence) => {
    const { status, text } = await call(braintree, 'POST', `${await open(braintree)}/evidence`, { evidence })
    expect([status, codesOf(text)]).toEqual([422, [code]])
    expect(text).toContain(`<${node}><errors type="array"><error><code>${code}`)
  })

  test.each(['CARRIER_NAME_OTHER', 'EVIDENCE_TYPE', 'TRACKING_URL'])('%s is accepted', async (category) => {
    const evidence = { comments: 'x', category }
    const { status } = await call(braintree, 'POST', `${await open(braintree)}/evidence`, { evidence })
    expect(status).toBe(201)
  })
})

describe('finalizing', () => {
  const PRIOR = 'PRIOR_NON_DISPUTED_TRANSACTION'
  test.each([
    [[], ['95726']],
    [['DEVICE_ID'], ['95720', '95721']],
    [['DOWNLOAD_DATE_TIME'], ['95720']],
    [[`${PRIOR}_ARN`], ['95723']],
    [[`${PRIOR}_DATE_TIME`], ['95722']],
    [[`${PRIOR}_ID`, `${PRIOR}_DATE_TIME`], ['95727']],
    [['RECURRING_TRANSACTION_ARN'], ['95724']],
    [['RECURRING_TRANSACTION_DATE_TIME'], ['95725']],
  ])('with %j: %j', async (categories, codes) => {
    const dispute = await open(braintree)
    for (const category of categories) {
      const comments = category.endsWith('_DATE_TIME') ? '2026-03-07' : '1'
      await call(braintree, 'POST', `${dispute}/evidence`, { evidence: { comments, category } })
    }
    const { status, text } = await call(braintree, 'PUT', `${dispute}/finalize`)
    expect([status, codesOf(text)]).toEqual([422, codes])
  })

  test('without evidence, if an option allows it as in the sandbox', async () => {
    await using sandbox = await simulated({ evidenceRequired: false })
    const { status, text } = await call(sandbox, 'PUT', `${await open(sandbox)}/finalize`)
    expect([status, /<status>(\w+)</.exec(text)?.[1]]).toEqual([200, 'disputed'])
  })
})

describe('searching', () => {
  const search = (at: Simulated, criteria: object) =>
    call(at, 'POST', 'disputes/advanced_search?page=1', { search: criteria })

  test('every criterion that Braintree has', async () => {
    const texts = ['id', 'case_number', 'customer_id', 'reference_number', 'transaction_id']
    for (const name of texts)
      for (const operator of ['is', 'is_not', 'starts_with', 'ends_with', 'contains'])
        expect((await search(braintree, { [name]: { [operator]: 'x' } })).status).toBe(200)
    const lists = ['status', 'kind', 'reason', 'reason_code', 'merchant_account_id', 'pre_dispute_program']
    for (const name of [...lists, 'chargeback_protection_level', 'protection_level', 'transaction_source'])
      expect((await search(braintree, { [name]: ['x'] })).status).toBe(200)
    for (const name of ['received_date', 'effective_date', 'reply_by_date', 'disbursement_date'])
      expect((await search(braintree, { [name]: { min: '01/01/2026', max: '12/31/2026' } })).status).toBe(200)
    for (const name of ['amount_disputed', 'amount_won'])
      expect((await search(braintree, { [name]: { is: '10.00' } })).status).toBe(200)
  })

  test('pages of another size, compressed for clients that accept it', async () => {
    await using small = await simulated({ pageSize: 2, gzip: true })
    const created = await small.create({ count: 5 })
    const { text, encoding } = await search(small, {})
    expect([text.match(/<dispute><id>/g)?.length, encoding]).toEqual([2, 'gzip'])
    const { items } = await small.adapter.listDisputes({ cursor: INITIAL, oldestOpen: null })
    expect(items.map(({ reference }) => reference).sort()).toEqual(created.toSorted())
  })

  test('the first entry of a history has its disbursement date', async () => {
    const { text } = await call(braintree, 'GET', await open(braintree))
    expect(text).toMatch(
      /<status-history type="array"><status-history><status>open<.*?<disbursement-date type="date">\d{4}-/,
    )
  })
})

describe('a transaction', () => {
  test('has its last four digits in `last-4`, from which the SDK for Python makes the attribute `last_4`', async () => {
    await using own = await simulated()
    await own.create({ count: 20 })
    const found = await Promise.all(
      own.running.engine
        .account(DEMO_MERCHANT)
        .disputes.all()
        .map(async ({ reference }) => {
          const { text } = await call(own, 'GET', `disputes/${reference}`)
          const id = /<transaction><id>([^<]+)/.exec(text)?.[1]
          return (await call(own, 'GET', `transactions/${id}`)).text
        }),
    )
    expect(found.join()).toMatch(/<last-4>\d{4}<\/last-4>/)
    expect(found.join()).not.toMatch(/last4/)
  })
})
