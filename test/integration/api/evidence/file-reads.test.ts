import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { samplePng } from '../../../harness/sample-files.ts'
import { createStage, type Stage } from '../stage.ts'
import { file, pdf, purpose, uploader } from './uploads.ts'

let stage: Stage
let uploads: ReturnType<typeof uploader>
let reader: string
beforeAll(async () => {
  stage = await createStage()
  uploads = uploader(stage)
  const { accountId, merchantUuid } = stage
  reader = (await stage.issue({ accountId, merchantUuid, scope: 'merchant', role: 'read' })).token
})
afterAll(() => stage[Symbol.asyncDispose]())

const details = (id: string, options = {}) => stage.call('GET', `/v1/files/${id}`, options)
const content = (id: string, token = stage.token) =>
  stage.app.request(`/v1/files/${id}/content`, { headers: { authorization: `Bearer ${token}` } })
const metadata = '{"kind":"delivery","caption":"Signed by Jane"}'
const upload = async () =>
  (await uploads.upload([file({ filename: 'jane.pdf' }), purpose(), { name: 'metadata', content: metadata }])).body
    .id as string

describe('GET /files/{id}', () => {
  test('has what is known about the file; name and metadata from the role work on', async () => {
    const id = await upload()
    const plain = {
      ...{ id, origin: 'uploaded', type: 'application/pdf', bytes: pdf.length },
      ...{ checksum: createHash('md5').update(pdf).digest('hex'), createdAt: expect.any(String) },
    }
    expect((await details(id)).body.data).toEqual({ ...plain, name: 'jane.pdf', metadata })
    expect((await details(id, { token: reader })).body.data).toEqual(plain)
  })
})

describe('GET /files/{id}/content', () => {
  test('returns the bytes; a browser that opens the address runs nothing of them', async () => {
    const response = await content(await upload())
    expect(Buffer.from(await response.arrayBuffer()).equals(pdf)).toBe(true)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      ...{ 'content-type': 'application/pdf', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
      'content-disposition': expect.stringMatching(/^attachment; filename="[0-9a-f-]{36}\.pdf"$/),
      'content-security-policy': "default-src 'none'; sandbox",
    })
    const { body } = await uploads.upload([file({ content: samplePng() }), purpose('evidence_image')])
    expect((await content(body.id)).headers.get('content-type')).toBe('image/png')
  })

  test('is not for the role read', async () => {
    expect((await content(await upload(), reader)).status).toBe(403)
  })
})

test.each(['', '/content'])(
  'GET /files/{id}%s is 404 for what is missing, deleted, or another merchant’s',
  async (part) => {
    const id = await upload()
    const other = await stage.newMerchant(stage.accountId)
    const { token } = await stage.issue({
      ...{ accountId: stage.accountId, merchantUuid: other.merchantUuid, scope: 'merchant' },
    })
    const read = (which: string, as = stage.token) => stage.call('GET', `/v1/files/${which}${part}`, { token: as })
    const missing = { status: 404, body: { code: 'file_not_found' } }
    expect(await read(id, token)).toMatchObject(missing)
    for (const which of ['not-an-id', '0198c5a4-2222-7d60-9a55-2f4b1f6f7d10'])
      expect(await read(which)).toMatchObject(missing)
    await stage.call('DELETE', `/v1/files/${id}`)
    expect(await read(id)).toMatchObject(missing)
  },
)
