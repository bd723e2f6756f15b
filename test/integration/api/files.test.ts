import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fileExists, readFile } from '../../../db/files.ts'
import { sampleJpeg, samplePdf, samplePng } from '../../harness/sample-files.ts'
import { multipart, type Part } from '../../interface/requests.ts'
import { checkAnswer } from './described.ts'
import { createStage, type Stage } from './stage.ts'

const MAX = 6_291_456
const pdf = samplePdf({ content: 'BT (Invoice of jane@example.com) Tj ET', deflate: true })
const file = (change: Partial<Part> = {}): Part => ({ name: 'file', content: pdf, filename: 'proof.pdf', ...change })
const purpose = (content = 'evidence_file'): Part => ({ name: 'purpose', content })

let stage: Stage
beforeAll(async () => {
  stage = await createStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

async function upload(parts: Part[], headers: Record<string, string> = {}, cut?: (body: Buffer) => Buffer) {
  const { type, body } = multipart(parts)
  return send(cut ? cut(Buffer.from(body)) : body, { 'content-type': type, ...headers })
}

async function send(body: Uint8Array | ReadableStream, headers: Record<string, string>) {
  const response = await stage.app.request('/v1/files', {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.token}`, ...headers },
    body: body as ReadableStream,
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  })
  const text = await response.text()
  const answer = { status: response.status, headers: response.headers, body: JSON.parse(text), text }
  checkAnswer('POST', '/v1/files', answer)
  return answer
}

const stored = (id: string) => readFile(stage.db, stage.ring, { merchantUuid: stage.merchantUuid, fileId: id })
const rows = async () =>
  Number(
    (
      await stage.db
        .selectFrom('file')
        .select((eb) => eb.fn.countAll().as('n'))
        .executeTakeFirstOrThrow()
    ).n,
  )
/** A PDF of exactly that many bytes. */
const pdfOf = (bytes: number) => {
  const bare = samplePdf()
  const filler = Buffer.alloc(bytes - bare.length, '%')
  const at = bare.indexOf('trailer')
  filler[filler.length - 1] = 10
  return Buffer.concat([bare.subarray(0, at), filler, bare.subarray(at)])
}

describe('POST /files', () => {
  test('keeps a PDF and answers its id and MD5', async () => {
    const answer = await upload([file(), purpose()])
    expect(answer).toMatchObject({
      status: 201,
      body: { status: 201, checksum: createHash('md5').update(pdf).digest('hex') },
    })
    expect(answer.body.metadata).toBeUndefined()
    expect(await stored(answer.body.id)).toMatchObject({
      name: 'proof.pdf',
      type: 'application/pdf',
      purpose: 'evidence_file',
      bytes: pdf.length,
      content: pdf,
      metadata: null,
      sha256: createHash('sha256').update(pdf).digest('hex'),
    })
  })

  test.each([
    ['PNG', samplePng(), 'image/png'],
    ['JPEG', sampleJpeg(), 'image/jpeg'],
  ])('keeps a %s, told by its bytes whatever the client says', async (_, content, type) => {
    const answer = await upload([purpose('evidence_image'), file({ content, filename: 'a.exe', type: 'text/html' })])
    expect((await stored(answer.body.id)).type).toBe(type)
  })

  test('nothing of it is readable in the database, and it is another merchant’s to nobody', async () => {
    const { body } = await upload([file(), purpose(), { name: 'metadata', content: '{"of":"jane@example.com"}' }])
    const row = await stage.db.selectFrom('file').selectAll().where('file_id', '=', body.id).executeTakeFirstOrThrow()
    const plain = Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
    expect(plain.join('\n')).not.toMatch(/jane|Invoice|%PDF|proof/)
    expect(row.persons).toHaveLength(1)
    const other = await stage.newMerchant(stage.accountId)
    expect(await fileExists(stage.db, { merchantUuid: other.merchantUuid, fileId: body.id })).toBe(false)
    await expect(
      readFile(stage.db, stage.ring, { merchantUuid: other.merchantUuid, fileId: body.id }),
    ).rejects.toMatchObject({ code: 'file_not_found' })
  })

  test('metadata as JSON text is echoed as it was given', async () => {
    const given = '{ "order": "1001", "paid": true, "sum": 12.50 }'
    const { body } = await upload([file(), purpose(), { name: 'metadata', content: given }])
    expect(body.metadata).toBe(given)
    expect((await stored(body.id)).metadata).toBe(given)
  })

  test('metadata as parts is echoed as JSON text', async () => {
    const { body } = await upload([
      { name: 'metadata[order]', content: '1001' },
      file(),
      purpose(),
      { name: 'metadata[größe]', content: 'ß' },
      { name: 'metadata[__proto__]', content: 'x' },
    ])
    expect(body.metadata).toBe('{"order":"1001","größe":"ß","__proto__":"x"}')
  })

  test.each([
    ['100 characters', `${'n'.repeat(96)}.pdf`, `${'n'.repeat(96)}.pdf`],
    ['other scripts', 'ראיה-доказательство-证据-📎.pdf', 'ראיה-доказательство-证据-📎.pdf'],
    ['a path', '../../etc/passwd', 'passwd'],
    ['a path of Windows', 'C:\\Users\\x\\proof.pdf', 'proof.pdf'],
    ['two endings', 'proof.pdf.exe', 'proof.pdf.exe'],
  ])('takes a name of %s', async (_, filename, kept) => {
    const { body } = await upload([file({ filename }), purpose()])
    expect((await stored(body.id)).name).toBe(kept)
  })

  test('takes 6 MB to the byte, and not one more, chunked or with a length', async () => {
    expect((await upload([file({ content: pdfOf(MAX) }), purpose()])).status).toBe(201)
    const { type, body } = multipart([file({ content: pdfOf(MAX + 1) }), purpose()])
    const chunked = () =>
      new ReadableStream({
        start(controller) {
          for (let at = 0; at < body.length; at += 65_536) controller.enqueue(body.subarray(at, at + 65_536))
          controller.close()
        },
      })
    const length = { 'content-length': String(body.length) }
    expect(await send(body, { 'content-type': type, ...length })).toMatchObject({ status: 413 })
    expect(await send(chunked(), { 'content-type': type })).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large', message: expect.stringContaining('6 MB') },
    })
  })

  test('an endless body is not read to its end', async () => {
    let given = 0
    const endless = new ReadableStream({
      pull(controller) {
        given += 65_536
        controller.enqueue(randomBytes(65_536))
      },
    })
    expect(await send(endless, { 'content-type': 'multipart/form-data; boundary=x' })).toMatchObject({ status: 413 })
    expect(given).toBeLessThan(MAX * 1.2)
  })
})

describe('POST /files refuses', () => {
  test.each<[string, Part[], string]>([
    ['no parts', [], 'file: Required; purpose: Required'],
    ['no file', [purpose()], 'file: Required'],
    ['a text as file', [{ name: 'file', content: 'text' }, purpose()], 'file: Must be a file'],
    ['no purpose', [file()], 'purpose: Required'],
    ['another purpose', [file(), purpose('logo')], 'purpose: Must be evidence_file or evidence_image'],
    ['an empty file', [file({ content: '' }), purpose()], 'file: Is empty'],
    ['two files', [file(), file(), purpose()], 'file: Must be given once'],
    ['two purposes', [file(), purpose(), purpose()], 'purpose: Must be given once'],
    ['an unknown part', [file(), purpose(), { name: 'fileId', content: '1' }], 'fileId: Unknown part'],
    ['an unknown file', [file(), purpose(), file({ name: 'other' })], 'other: Unknown part'],
    [
      'a name of 101 characters',
      [file({ filename: 'n'.repeat(101) }), purpose()],
      'Its name must have 1 to 100 characters',
    ],
    ['no name', [file({ filename: '' }), purpose()], 'Its name must have 1 to 100 characters'],
    [
      'a name that turns round',
      [file({ filename: 'proof\u202efdp.exe' }), purpose()],
      'Its name holds invalid characters',
    ],
    [
      'metadata that is no JSON',
      [file(), purpose(), { name: 'metadata', content: '{' }],
      'metadata: Must be JSON text of an object',
    ],
    [
      'metadata that is a list',
      [file(), purpose(), { name: 'metadata', content: '[1]' }],
      'metadata: Must be an object',
    ],
    [
      'metadata with a null',
      [file(), purpose(), { name: 'metadata', content: '{"a":null}' }],
      'metadata: Its values must be',
    ],
    [
      'metadata in two spellings',
      [file(), purpose(), { name: 'metadata', content: '{}' }, { name: 'metadata[a]', content: '1' }],
      'one spelling',
    ],
    [
      'metadata of 10 001 bytes',
      [file(), purpose(), { name: 'metadata', content: `{"a":"${'x'.repeat(10_001)}"}` }],
      'at most 10000 bytes',
    ],
    [
      'a hundred parts',
      [file(), purpose(), ...Array.from({ length: 130 }, (_, i) => ({ name: `metadata[k${i}]`, content: '1' }))],
      'at most 120 parts',
    ],
    [
      'a PNG as evidence_file',
      [file({ content: samplePng() }), purpose()],
      'file: Must be a PDF for evidence_file, and this is a PNG picture',
    ],
    ['HTML', [file({ content: '<html></html>' }), purpose()], 'file: Must be a PDF for evidence_file'],
  ])('%s, and stores nothing', async (_, parts, message) => {
    const before = await rows()
    const answer = await upload(parts)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } })
    expect(await rows()).toBe(before)
  })

  test('a body that breaks off anywhere', async () => {
    for (const keep of [10, 100, 300, -3, -40]) {
      const answer = await upload([file(), purpose()], {}, (body) => body.subarray(0, keep))
      expect(answer).toMatchObject({ status: 400, body: { code: 'malformed_form' } })
    }
    const answer = await upload([file(), purpose()], { 'content-type': 'multipart/form-data' })
    expect(answer.body.code).toBe('malformed_form')
  })

  test.each(['application/json', 'text/plain', 'application/x-www-form-urlencoded', ''])(
    'the content type "%s"',
    async (type) => {
      expect(await upload([file(), purpose()], { 'content-type': type })).toMatchObject({
        status: 415,
        body: { code: 'unsupported_media_type' },
      })
    },
  )
})

describe('an upload with an Idempotency-Key', () => {
  test('is stored once and answered alike, and another file under the key is refused', async () => {
    const headers = { 'idempotency-key': 'upload-1' }
    const parts = [file(), purpose(), { name: 'metadata', content: '{"a":1}' }]
    const first = await upload(parts, headers)
    const before = await rows()
    const again = await upload(parts, headers)
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true'])
    expect(await upload([file({ content: samplePdf() }), purpose()], headers)).toMatchObject({
      status: 400,
      body: { code: 'idempotency_key_reused' },
    })
    expect(await rows()).toBe(before)
  })

  test('that was refused leaves the key free', async () => {
    const headers = { 'idempotency-key': 'upload-2' }
    expect((await upload([purpose()], headers)).status).toBe(400)
    expect((await upload([file(), purpose()], headers)).status).toBe(201)
  })
})
