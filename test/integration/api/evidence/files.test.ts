import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { holdFile, readFile } from '../../../../db/evidence/files.ts'
import { sampleJpeg, samplePdf, samplePng } from '../../../harness/sample-files.ts'
import { multipart } from '../../../interface/multipart.ts'
import { createStage, type Stage } from '../stage.ts'
import { file, MAX, pdf, pdfOf, purpose, uploader } from './uploads.ts'

let stage: Stage
let uploads: ReturnType<typeof uploader>
beforeAll(async () => {
  stage = await createStage()
  uploads = uploader(stage)
})
afterAll(() => stage[Symbol.asyncDispose]())

const stored = (id: string) => readFile(stage.db, stage.ring, { merchantUuid: stage.merchantUuid, fileId: id })

describe('POST /files', () => {
  test('stores a PDF and returns its id and MD5', async () => {
    const response = await uploads.upload([file(), purpose()])
    expect(response).toMatchObject({
      status: 201,
      body: { status: 201, checksum: createHash('md5').update(pdf).digest('hex') },
    })
    expect(response.body.metadata).toBeUndefined()
    expect(await stored(response.body.id)).toMatchObject({
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
  ])('stores a %s, detected from its bytes, not from what the client says', async (_, content, type) => {
    const response = await uploads.upload([
      purpose('evidence_image'),
      file({ content, filename: 'a.exe', type: 'text/html' }),
    ])
    expect((await stored(response.body.id)).type).toBe(type)
  })

  test('a file is unreadable in the database and unavailable to another merchant', async () => {
    const { body } = await uploads.upload([
      file(),
      purpose(),
      { name: 'metadata', content: '{"of":"jane@example.com"}' },
    ])
    const row = await stage.db.selectFrom('file').selectAll().where('file_id', '=', body.id).executeTakeFirstOrThrow()
    const plain = Object.values(row).map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
    expect(plain.join('\n')).not.toMatch(/jane|Invoice|%PDF|proof/)
    expect(row.persons).toHaveLength(1)
    const other = await stage.newMerchant(stage.accountId)
    expect(await holdFile(stage.db, { merchantUuid: other.merchantUuid, fileId: body.id })).toBe(false)
    await expect(
      readFile(stage.db, stage.ring, { merchantUuid: other.merchantUuid, fileId: body.id }),
    ).rejects.toMatchObject({ code: 'file_not_found' })
  })

  test('metadata as JSON text is returned unchanged', async () => {
    const given = '{ "order": "1001", "paid": true, "sum": 12.50 }'
    const { body } = await uploads.upload([file(), purpose(), { name: 'metadata', content: given }])
    expect(body.metadata).toBe(given)
    expect((await stored(body.id)).metadata).toBe(given)
  })

  test('metadata keeps nested values', async () => {
    const given = '{"order":{"lines":[{"sku":"a","tags":[]},{"sku":null}],"paid":true},"tags":["x",["y"]]}'
    const { status, body } = await uploads.upload([file(), purpose(), { name: 'metadata', content: given }])
    expect([status, body.metadata]).toEqual([201, given])
    expect((await stored(body.id)).metadata).toBe(given)
    const deep = `{"a":${'['.repeat(32)}${']'.repeat(32)}}`
    expect(await uploads.upload([file(), purpose(), { name: 'metadata', content: deep }])).toMatchObject({
      status: 400,
      body: { message: 'metadata: Must not be nested deeper than 32 levels' },
    })
  })

  test('metadata as parts is returned as JSON text', async () => {
    const { body } = await uploads.upload([
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
  ])('accepts a name of %s', async (_, filename, kept) => {
    const { body } = await uploads.upload([file({ filename }), purpose()])
    expect((await stored(body.id)).name).toBe(kept)
  })

  test('accepts exactly 6 MB and not one byte more, chunked or with a length', async () => {
    expect((await uploads.upload([file({ content: pdfOf(MAX) }), purpose()])).status).toBe(201)
    const { type, body } = multipart([file({ content: pdfOf(MAX + 1) }), purpose()])
    const chunked = () =>
      new ReadableStream({
        start(controller) {
          for (let at = 0; at < body.length; at += 65_536) controller.enqueue(body.subarray(at, at + 65_536))
          controller.close()
        },
      })
    const length = { 'content-length': String(body.length) }
    expect(await uploads.send(body, { 'content-type': type, ...length })).toMatchObject({ status: 413 })
    expect(await uploads.send(chunked(), { 'content-type': type })).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large', message: expect.stringContaining('6 MB') },
    })
  })

  test('an endless body is read up to the limit only', async () => {
    let given = 0
    const endless = new ReadableStream({
      pull(controller) {
        given += 65_536
        controller.enqueue(randomBytes(65_536))
      },
    })
    expect(await uploads.send(endless, { 'content-type': 'multipart/form-data; boundary=x' })).toMatchObject({
      status: 413,
    })
    expect(given).toBeLessThan(MAX * 1.2)
  })
})

describe('an upload with an Idempotency-Key', () => {
  test('is stored once with the same response, and another file under the key is refused', async () => {
    const headers = { 'idempotency-key': 'upload-1' }
    const parts = [file(), purpose(), { name: 'metadata', content: '{"a":1}' }]
    const first = await uploads.upload(parts, headers)
    const before = await uploads.rows()
    const again = await uploads.upload(parts, headers)
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([201, first.body, 'true'])
    expect(await uploads.upload([file({ content: samplePdf() }), purpose()], headers)).toMatchObject({
      status: 400,
      body: { code: 'idempotency_key_reused' },
    })
    expect(await uploads.rows()).toBe(before)
  })

  test('that was refused leaves the key free', async () => {
    const headers = { 'idempotency-key': 'upload-2' }
    expect((await uploads.upload([purpose()], headers)).status).toBe(400)
    expect((await uploads.upload([file(), purpose()], headers)).status).toBe(201)
  })
})
