import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { inspectFile } from '../../../api/file-inspection.ts'
import { parts } from '../../../api/file-thread.ts'
import { addressesIn } from '../../../domain/addresses.ts'
import { samplePdf, stream } from '../../harness/sample-files.ts'

const honest = samplePdf({ content: 'BT (Bill to jane@example.com) Tj ET', deflate: true })
/** Looked through for some tenths of a second at least: 60 MB of text in 60 KB. */
const long = samplePdf({
  objects: [stream(deflateSync(Buffer.alloc(60_000_000, 'BT (a) Tj ET ')), '/Filter /FlateDecode')],
})

describe('a file is checked beside the event loop', () => {
  test('and it is said what it is and who is in it', async () => {
    expect(await inspectFile(honest, 'evidence_file')).toEqual({
      type: 'application/pdf',
      addresses: ['jane@example.com'],
    })
  })

  test('and what is refused has its code and words', async () => {
    const pdf = samplePdf({ catalog: '/OpenAction << /S /JavaScript /JS (app.alert(1)) >>' })
    const refused = { status: 400, code: 'file_refused', message: 'file: Is refused because it holds JavaScript' }
    await expect(inspectFile(pdf, 'evidence_file')).rejects.toMatchObject(refused)
    const otherType = { status: 400, code: 'file_type_not_accepted' }
    await expect(inspectFile(honest, 'evidence_image')).rejects.toMatchObject(otherType)
  })

  test('in parts that cut no address', () => {
    const text = 'jane@example.com '.repeat(150_000)
    const cut = [...parts(text)]
    expect(cut.length).toBeGreaterThan(2)
    expect(cut.join('')).toBe(text)
    expect(new Set(cut.flatMap((part) => addressesIn(part)))).toEqual(new Set(['jane@example.com']))
    expect([...parts('x'.repeat(2_500_000))].map((part) => part.length)).toEqual([1_000_000, 1_000_000, 500_000])
  })

  test('other work goes on meanwhile', async () => {
    let turns = 0
    const turning = setInterval(() => turns++, 1)
    await inspectFile(long, 'evidence_file').catch(() => {})
    clearInterval(turning)
    expect(turns).toBeGreaterThan(10)
  })

  test('one that takes too long is refused, and the next ones are checked as ever', async () => {
    const [cut, next] = await Promise.allSettled([
      inspectFile(long, 'evidence_file', 1),
      inspectFile(honest, 'evidence_file'),
    ])
    expect(cut).toMatchObject({ status: 'rejected', reason: { status: 400, code: 'file_refused' } })
    expect(next).toMatchObject({ status: 'fulfilled', value: { type: 'application/pdf' } })
  })
})
