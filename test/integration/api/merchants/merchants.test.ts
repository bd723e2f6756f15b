import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { open, sealContext } from '../../../../db/core/seal.ts'
import { personHashes } from '../../../../db/erasure/persons.ts'
import { createAccount } from '../../../../db/merchants/accounts.ts'
import { createStage, type Stage } from '../stage.ts'

const PLANTED = 'planted.owner@example.com'
let stage: Stage
let token: string
beforeAll(async () => {
  stage = await createStage()
  token = (await stage.issue({ accountId: stage.accountId, scope: 'account' })).token
})
afterAll(() => stage[Symbol.asyncDispose]())

const valid = () => ({
  merchantName: 'Zürich Shoes & Söhne',
  websiteUrl: 'https://shoes.example/de?x=1',
  email: PLANTED,
  firstName: 'Petra',
  lastName: 'Plantée',
})
const create = (changes: object = {}, options = {}) =>
  stage.call('POST', '/v1/merchants', { token, body: { ...valid(), ...changes }, ...options })
const stored = (merchantUuid: string) =>
  stage.db.selectFrom('merchant').selectAll().where('merchant_uuid', '=', merchantUuid).executeTakeFirstOrThrow()
const count = async () => (await stage.db.selectFrom('merchant').select('merchant_uuid').execute()).length

describe('POST /merchants', () => {
  it('stores the merchant in the account of the credential, seals its contact, and returns only the UUID', async () => {
    const { status, body, text } = await create()
    expect(status).toBe(201)
    expect(Object.keys(body)).toEqual(['merchantUuid'])
    const row = await stored(body.merchantUuid)
    expect(row).toMatchObject({
      account_id: stage.accountId,
      merchant_name: 'Zürich Shoes & Söhne',
      website_url: 'https://shoes.example/de?x=1',
      mcc: null,
      mcc_description: null,
      activation_date: null,
    })
    expect(JSON.parse(open(stage.ring, row.contact_sealed, sealContext.merchantContact(body.merchantUuid)))).toEqual({
      email: PLANTED,
      firstName: 'Petra',
      lastName: 'Plantée',
    })
    expect(row.persons).toEqual(personHashes(stage.ring, PLANTED))
    const { rows } = await sql<{ all: string }>`select string_agg(m::text, ' ') as all from merchant m`.execute(
      stage.db,
    )
    for (const seen of [rows[0]?.all, text, ...stage.lines]) expect(seen).not.toMatch(/planted|Petra|Plantée/i)
  })

  it('accepts the optional fields', async () => {
    const { status, body } = await create({
      referenceId: 'shoes-1',
      mcc: '5661',
      mccDescription: 'Shoe stores',
      activationDate: '2031-01-01T02:00:00+02:00',
    })
    expect(status).toBe(201)
    expect(await stored(body.merchantUuid)).toMatchObject({
      reference_id: 'shoes-1',
      mcc: '5661',
      mcc_description: 'Shoe stores',
      activation_date: new Date('2031-01-01T00:00:00Z'),
    })
  })

  it('assigns the UUID as referenceId when none is given; both select the merchant', async () => {
    const { merchantUuid } = (await create()).body
    expect((await stored(merchantUuid)).reference_id).toBe(merchantUuid)
    const named = `named ${randomUUID()}`
    const second = (await create({ referenceId: named })).body.merchantUuid
    for (const merchant of [merchantUuid, named, second])
      expect((await stage.call('GET', '/v1/chargebacks', { token, merchant })).status).toBe(200)
  })

  it('refuses a referenceId that is the referenceId or UUID of another merchant in the same account', async () => {
    const referenceId = `taken-${randomUUID()}`
    const { merchantUuid } = (await create({ referenceId })).body
    const before = await count()
    for (const duplicate of [referenceId, merchantUuid, merchantUuid.toUpperCase()])
      expect(await create({ referenceId: duplicate })).toMatchObject({
        status: 400,
        body: { code: 'duplicate_reference_id', message: expect.stringContaining('referenceId: ') },
      })
    expect(await count()).toBe(before)
    const { accountId } = await createAccount(stage.db, { name: 'Other' })
    const other = await stage.issue({ accountId, scope: 'account' })
    expect((await create({ referenceId }, { token: other.token })).status).toBe(201)
  })

  it('creates one merchant for many concurrent requests with the same referenceId', async () => {
    const referenceId = `race-${randomUUID()}`
    const responses = await Promise.all(Array.from({ length: 8 }, () => create({ referenceId })))
    expect(responses.map((response) => response.status).sort()).toEqual([201, ...Array(7).fill(400)])
  })

  it('creates one merchant for a repeated Idempotency-Key', async () => {
    const headers = { 'idempotency-key': `merchant-${randomUUID()}` }
    const [first, second] = [await create({}, { headers }), await create({}, { headers })]
    expect(second).toMatchObject({ status: 201, body: first.body })
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await create({ merchantName: 'Other' }, { headers })).toMatchObject({
      status: 400,
      body: { code: 'idempotency_key_reused' },
    })
  })

  it('ignores the reference header', async () => {
    expect((await create({}, { merchant: 'nobody' })).status).toBe(201)
  })

  it('creates the first merchant of an account', async () => {
    const { accountId } = await createAccount(stage.db, { name: 'Fresh' })
    const own = await stage.issue({ accountId, scope: 'account' })
    const first = (await create({}, { token: own.token })).body.merchantUuid
    const read = await stage.call('GET', '/v1/merchants', { token: own.token })
    expect(read.body.data).toMatchObject([{ merchantUuid: first, status: 'SetupIncomplete' }])
    expect((await stage.call('GET', '/v1/integrations', { token: own.token })).status).toBe(200)
  })

  it.each([
    ['merchantName', undefined],
    ['merchantName', null],
    ['merchantName', ''],
    ['merchantName', 7],
    ['merchantName', 'x'.repeat(256)],
    ['merchantName', 'a\0b'],
    ['merchantName', '\ud800'],
    ['websiteUrl', undefined],
    ['websiteUrl', 'shoes.example'],
    ['websiteUrl', 'ftp://shoes.example'],
    ['websiteUrl', 'https:shoes.example'],
    ['websiteUrl', 'javascript:alert(1)'],
    ['websiteUrl', 'https://'],
    ['websiteUrl', 'https://user:word@shoes.example'],
    ['websiteUrl', 'https://shoes.example/a b'],
    ['websiteUrl', `https://shoes.example/${'x'.repeat(2048)}`],
    ['email', undefined],
    ['email', 'petra'],
    ['email', 'petra@'],
    ['email', 'a@b@shoes.example'],
    ['email', `${'x'.repeat(250)}@shoes.example`],
    ['firstName', undefined],
    ['firstName', ''],
    ['lastName', null],
    ['lastName', ['Plantée']],
    ['referenceId', ''],
    ['referenceId', null],
    ['referenceId', ' padded'],
    ['referenceId', 'schön'],
    ['referenceId', 'x'.repeat(256)],
    ['mcc', 5661],
    ['mcc', null],
    ['mccDescription', ''],
    ['activationDate', 'soon'],
    ['activationDate', '2031-01-01'],
    ['activationDate', null],
    ['colour', 'red'],
    ['status', 'Active'],
    ['merchantUuid', '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10'],
  ])('names %s when it is %j', async (field, value) => {
    const before = await count()
    const response = await create({ [field]: value })
    expect(response).toMatchObject({ status: 400, body: { code: 'validation_failed' } })
    expect(response.body.message).toContain(`${field}: `)
    expect(response.text).not.toContain(PLANTED)
    expect(await count()).toBe(before)
  })

  it('names all invalid fields in one response', async () => {
    const { body } = await stage.call('POST', '/v1/merchants', {
      token,
      body: { websiteUrl: 'x', email: 'y', mcc: 1, z: 2 },
    })
    for (const field of ['merchantName', 'websiteUrl', 'email', 'firstName', 'lastName', 'mcc', 'z'])
      expect(body.message).toContain(`${field}: `)
  })

  it('accepts each text at its maximum length', async () => {
    const long = 'x'.repeat(255)
    const texts = { merchantName: long, firstName: long, lastName: long, referenceId: `r${long.slice(1)}`, mcc: long }
    expect((await create(texts)).status).toBe(201)
  })
})
