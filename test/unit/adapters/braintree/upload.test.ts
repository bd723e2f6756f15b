import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { fileName, markOf } from '../../../../adapters/braintree/documents/marks.ts'
import { checkFile } from '../../../../adapters/braintree/documents/upload.ts'
import { type PspFetch, pspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { refusal, type Simulated, simulated } from './connect.ts'

const PDF = Buffer.from('%PDF-1.4\n')

async function open(braintree: Simulated) {
  const [reference = ''] = await braintree.create({ count: 1, status: 'open', stage: 'chargeback' })
  return reference
}

async function uploaded(braintree: Simulated, reference: string, name = 'proof.PDF') {
  const file = { name, type: 'application/pdf', data: PDF }
  return (await braintree.adapter.uploadFile({ reference, file, idempotencyKey: 'k' })).fileReference
}

describe('uploading', () => {
  test('derives a lower-case extension from the type, and gives the same packet the same name', async () => {
    await using braintree = await simulated()
    const id = await uploaded(braintree, await open(braintree), 'Büro Beleg.PDF')
    expect((await braintree.control('GET', `/files/${id}`)).name).toMatch(/^B-ro-Beleg-[0-9a-f]{16}\.pdf$/)
    const file = { name: 'x.JPEG', type: 'image/jpeg', data: PDF }
    const [one, another] = ['1', '2'].map((digest) => fileName(file, markOf({ owner: 'o', digest })))
    expect(one).toBe(fileName(file, markOf({ owner: 'o', digest: '1' })))
    expect(one).toMatch(/^x-[0-9a-f]{16}\.jpg$/)
    expect(another).not.toBe(one)
    expect(fileName({ ...file, name: '收据.jpg' }, markOf({ digest: '1' }))).toMatch(/^evidence-[0-9a-f]{16}\.jpg$/)
  })

  /** A separate folder, because other tests upload at the same time. */
  function temporary() {
    const folder = mkdtempSync(join(tmpdir(), 'braintree-upload-'))
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(() => {
      vi.unstubAllEnvs()
      rmSync(folder, { recursive: true })
    })
    return folder
  }

  test('has no file on disk when the request is sent, because a killed process would leave it there', async () => {
    await using braintree = await simulated()
    const folder = temporary()
    const found: string[][] = []
    const listing: PspFetch = (input, init) => {
      found.push(readdirSync(folder))
      return pspFetch(input, init)
    }
    const file = { name: 'proof.pdf', type: 'application/pdf', data: PDF }
    await braintree.connect({ fetch: listing }).uploadFile({ reference: 'r', file, idempotencyKey: 'k' })
    expect(found).toEqual([[]])
  })

  test('removes files that a killed process left, and none of a running one', async () => {
    await using braintree = await simulated()
    const folder = temporary()
    for (const name of ['recoup-upload-old', 'recoup-upload-new', 'others']) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'proof.pdf'), PDF)
      if (name !== 'recoup-upload-new') utimesSync(join(folder, name), 0, 0)
    }
    await uploaded(braintree, await open(braintree))
    expect(readdirSync(folder).sort()).toEqual(['others', 'recoup-upload-new'])
  })

  test('leaves no file on disk, even after an error', async () => {
    await using braintree = await simulated()
    const folder = temporary()
    const reference = await open(braintree)
    await uploaded(braintree, reference)
    await braintree.control('POST', '/faults', { kind: '500', count: 1, match: { method: 'POST' } })
    await refusal(uploaded(braintree, reference))
    expect(tmpdir()).toBe(folder)
    expect(readdirSync(folder)).toEqual([])
  })

  test('is unavailable, not outcome_unknown, without a response, because it may be repeated', async () => {
    await using braintree = await simulated()
    const reference = await open(braintree)
    await braintree.control('POST', '/faults', { kind: 'reset_after_apply', count: 1, match: { method: 'POST' } })
    expect((await refusal(uploaded(braintree, reference))).kind).toBe('unavailable')
  })

  test.each([
    ['empty', 'application/pdf', Buffer.alloc(0), 'empty'],
    ['too large', 'application/pdf', Buffer.concat([PDF, Buffer.alloc(4 * 1024 * 1024)]), '4 MB'],
    ['of another type', 'image/gif', PDF, 'PDF, JPEG and PNG'],
    ['not of its declared type', 'image/png', PDF, 'malformed'],
    ['encrypted', 'application/pdf', Buffer.from('%PDF-1.4 trailer << /Encrypt 5 0 R >>'), 'encrypted'],
    ['too long', 'application/pdf', Buffer.from(`%PDF-1.4 ${'<< /Type /Page >>'.repeat(51)}`), '50 pages'],
  ])('%s is refused before it is sent', (_, type, data, words) => {
    expect(() => checkFile({ name: 'f', type, data })).toThrow(words)
  })
})
