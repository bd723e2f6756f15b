import { randomBytes } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { multipart } from '../../../interface/multipart.ts'
import { addChargeback, type Place, stageWithIntegration } from '../chargebacks/chargeback-rows.ts'
import { file, purpose } from '../evidence/uploads.ts'
import type { Stage } from '../stage.ts'
import { checkResponse } from './check-response.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const MB = 1_048_576

/** Sends the bytes unchanged. */
async function send(method: string, path: string, body: Uint8Array | null, headers: Record<string, string> = {}) {
  const response = await stage.app.request(path, {
    method,
    headers: { authorization: `Bearer ${stage.token}`, 'content-type': 'application/json', ...headers },
    ...(body && { body: new Uint8Array(body) }),
  })
  const bytes = Buffer.from(await response.arrayBuffer())
  const gzipped = response.headers.get('content-encoding') === 'gzip'
  const text = (gzipped ? gunzipSync(bytes) : bytes).toString()
  const result = { status: response.status, headers: response.headers, text, bytes: bytes.length }
  checkResponse(method, path, result)
  return { ...result, body: text === '' ? null : JSON.parse(text) }
}
const points = async (body: Uint8Array, headers: Record<string, string> = {}) =>
  send('PATCH', `/v1/chargebacks/${await addChargeback(stage.db, at)}`, body, headers)
const gzip = { 'content-encoding': 'gzip' }

describe('a compressed body', () => {
  it('is read as its content', async () => {
    const id = await addChargeback(stage.db, at)
    for (const encoding of ['gzip', 'GZIP', ' gzip ']) {
      const body = gzipSync(JSON.stringify({ note: 'größe' }))
      expect(await send('PATCH', `/v1/chargebacks/${id}`, body, { 'content-encoding': encoding })).toMatchObject({
        status: 201,
      })
    }
    const plain = Buffer.from('{"note":"x"}')
    expect((await points(plain, { 'content-encoding': 'identity' })).status).toBe(201)
    const form = multipart([file(), purpose()])
    const upload = await send('POST', '/v1/files', gzipSync(form.body), { 'content-type': form.type, ...gzip })
    expect(upload.status, upload.text).toBe(201)
  })

  it('counts as the same request as the plain one for an Idempotency-Key', async () => {
    const [key, body] = [{ 'idempotency-key': 'packed-1' }, Buffer.from('{"transactionId":"tx_packed"}')]
    const first = await send('POST', '/v1/transactions', body, key)
    const again = await send('POST', '/v1/transactions', gzipSync(body), { ...key, ...gzip })
    expect([first.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true'])
  })

  it('is limited by its size after decompression', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * MB, ' '))
    expect(bomb.length).toBeLessThan(MB)
    const before = process.memoryUsage().arrayBuffers
    expect(await points(bomb, gzip)).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
    const form = await send('POST', '/v1/files', bomb, { 'content-type': 'multipart/form-data; boundary=x', ...gzip })
    expect(form).toMatchObject({ status: 413, body: { code: 'payload_too_large' } })
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60 * MB)
    const exactly = (bytes: number) => gzipSync(`{"transactionId":"${'x'.repeat(bytes - 20)}"}`)
    expect((await send('POST', '/v1/transactions', exactly(MB), gzip)).status).toBe(400)
    expect((await send('POST', '/v1/transactions', exactly(MB + 1), gzip)).status).toBe(413)
  })

  it.each([
    ['random bytes', () => randomBytes(100)],
    ['plain JSON', () => Buffer.from('{"note":"x"}')],
    ['truncated gzip', () => gzipSync('{"note":"x"}').subarray(0, 15)],
  ])('is refused if it is not gzip: %s', async (_name, body) => {
    expect(await points(body(), gzip)).toMatchObject({ status: 400, body: { code: 'malformed_body' } })
  })

  it.each(['br', 'deflate', 'zstd', 'gzip, gzip', 'nonsense'])('is refused with the encoding %s', async (encoding) => {
    const response = await points(Buffer.from('{}'), { 'content-encoding': encoding })
    expect(response).toMatchObject({
      status: 415,
      body: { code: 'unsupported_media_type', message: 'Content-Encoding: must be gzip or identity.' },
    })
    expect(response.headers.get('accept-encoding')).toBe('gzip, identity')
  })
})

describe('the characters of a body', () => {
  it.each([
    ['a byte that starts no character', [0xff]],
    ['a truncated character', [0xc3]],
    ['half a surrogate', [0xed, 0xa0, 0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['Latin-1', [0xfc]],
  ])('must be UTF-8, not %s', async (_name, bytes) => {
    const body = Buffer.concat([Buffer.from('{"note":"'), Buffer.from(bytes), Buffer.from('"}')])
    expect(await points(body)).toMatchObject({
      status: 400,
      body: { code: 'malformed_body', message: 'The body is not valid UTF-8.' },
    })
  })

  it.each(['iso-8859-1', 'utf-16', '"utf-16le"', 'windows-1252', '""'])(
    'are refused as charset %s',
    async (charset) => {
      const response = await points(Buffer.from('{"note":"x"}'), {
        'content-type': `application/json; charset=${charset}`,
      })
      expect(response).toMatchObject({ status: 415, body: { message: 'Content-Type: charset must be utf-8.' } })
    },
  )

  it.each(['utf-8', 'UTF-8', '"utf-8"', 'us-ascii'])('are accepted as charset %s', async (charset) => {
    const type = { 'content-type': `application/json; version=1; charset=${charset}` }
    expect((await points(Buffer.from('{"note":"x"}'), type)).status).toBe(201)
  })

  it('must be UTF-8 in the texts of a form', async () => {
    const form = multipart([
      file(),
      purpose(),
      { name: 'metadata', content: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
    ])
    const response = await send('POST', '/v1/files', form.body, { 'content-type': form.type })
    expect(response).toMatchObject({ status: 400, body: { message: 'metadata: Must be UTF-8' } })
  })
})

describe('a response', () => {
  const options = '/v1/scope-settings/options'
  const accept = (encodings: string) => ({ 'accept-encoding': encodings })

  it('is compressed if the client accepts it', async () => {
    const plain = await send('GET', options, null)
    expect(plain.headers.get('content-encoding')).toBeNull()
    for (const encodings of ['gzip', 'br, gzip;q=0.5', 'GZIP', '*']) {
      const compressed = await send('GET', options, null, accept(encodings))
      expect(compressed.headers.get('content-encoding'), encodings).toBe('gzip')
      expect(compressed.text).toBe(plain.text)
      expect(compressed.bytes).toBeLessThan(plain.bytes * 0.6)
      expect(compressed.headers.get('content-type')).toBe(plain.headers.get('content-type'))
      expect(compressed.headers.get('vary')).toBe('accept-encoding')
    }
    for (const encodings of ['', 'identity', 'br', 'gzip;q=0', '*;q=0', 'gzip;q=0, *'])
      expect(
        (await send('GET', options, null, accept(encodings))).headers.get('content-encoding'),
        encodings,
      ).toBeNull()
  })

  it('is not compressed if it is small', async () => {
    const id = await addChargeback(stage.db, at)
    for (const path of [`/v1/chargebacks/${id}`, '/v1/chargebacks/nobody']) {
      const response = await send('GET', path, null, accept('gzip'))
      expect(response.headers.get('content-encoding')).toBeNull()
      expect(response.text.length).toBeGreaterThan(100)
    }
  })

  it('has a weak ETag of the same version when it is compressed', async () => {
    const etag = (await send('GET', options, null)).headers.get('etag')
    const weak = (await send('GET', options, null, accept('gzip'))).headers.get('etag')
    expect(weak).toBe(`W/${etag}`)
    for (const encodings of ['gzip', 'identity'])
      for (const known of [weak ?? '', etag ?? '']) {
        const response = await send('GET', options, null, { 'if-none-match': known, ...accept(encodings) })
        expect([response.status, response.text]).toEqual([304, ''])
      }
  })
})
