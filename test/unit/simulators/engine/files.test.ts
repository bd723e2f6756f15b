import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { connect, refusal } from './connect.ts'

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

describe('POST /v1/files', () => {
  it('keeps every byte', async () => {
    await using c = await connect()
    const data = Buffer.concat([PNG, randomBytes(200_000)])
    const sha256 = createHash('sha256').update(data).digest('hex')
    const file = await c.stripe.files.create(
      { purpose: 'dispute_evidence', file: { data, name: 'proof of delivery.png', type: 'image/png' } },
      { idempotencyKey: 'up' },
    )
    expect(file).toMatchObject({
      filename: 'proof of delivery.png',
      size: data.length,
      type: 'png',
      purpose: 'dispute_evidence',
    })
    const content = await fetch(`${c.simulator.controlUrl}/files/${file.id}/content`)
    expect(Buffer.from(await content.arrayBuffer()).equals(data)).toBe(true)
    const { effects } = (await c.control('GET /effects')).body
    expect(effects).toMatchObject([{ kind: 'upload', idempotencyKey: 'up', details: { file: file.id, sha256 } }])
  })

  it('returns the same file for a repeated upload, whatever the boundary', async () => {
    await using c = await connect()
    const upload = (data: Buffer) =>
      c.stripe.files.create(
        { purpose: 'dispute_evidence', file: { data, name: 'a.png', type: 'image/png' } },
        { idempotencyKey: 'k' },
      )
    const first = await upload(PNG)
    expect((await upload(PNG)).id).toBe(first.id)
    expect((await refusal(upload(Buffer.concat([PNG, PNG])))).rawType).toBe('idempotency_error')
    expect((await c.stripe.files.list()).data).toHaveLength(1)
  })

  it.each([
    ['another type of file', Buffer.from('GIF89a'), 'dispute_evidence'],
    ['more than 5 MB', Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]), 'dispute_evidence'],
    ['an unknown purpose', PNG, 'holiday_pictures'],
  ])('refuses %s', async (_, data, purpose) => {
    await using c = await connect()
    const file = { data, name: 'a.png', type: 'image/png' }
    expect((await refusal(c.stripe.files.create({ purpose, file }))).statusCode).toBe(400)
    expect((await c.control('GET /effects')).body.total).toBe(0)
  })

  it('refuses a body that is not multipart', async () => {
    await using c = await connect()
    expect((await c.raw('POST /v1/files', { body: 'purpose=dispute_evidence' })).status).toBe(400)
  })

  it('refuses a file of another purpose as evidence', async () => {
    await using c = await connect()
    const file = { data: PNG, name: 'a.png', type: 'image/png' }
    const { id } = await c.stripe.files.create({ purpose: 'identity_document', file })
    const [ref = ''] = await c.create({ count: 1, status: 'needs_response', stage: 'chargeback' })
    expect((await refusal(c.stripe.disputes.update(ref, { evidence: { receipt: id } }))).statusCode).toBe(400)
  })
})

describe('GET /v1/files', () => {
  it('lists by purpose and retrieves', async () => {
    await using c = await connect()
    const file = { data: PNG, name: 'a.png', type: 'image/png' }
    const { id } = await c.stripe.files.create({ purpose: 'dispute_evidence', file })
    await c.stripe.files.create({ purpose: 'identity_document', file })
    const { data } = await c.stripe.files.list({ purpose: 'dispute_evidence', created: { gte: 1 } })
    expect(data.map((f) => f.id)).toEqual([id])
    expect((await c.stripe.files.retrieve(id)).filename).toBe('a.png')
  })
})
