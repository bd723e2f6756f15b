import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { inspectUpload } from '../../../api/files/file-inspection.ts'
import { addressesIn } from '../../../domain/accounts/addresses.ts'
import { startFileProcess } from '../../../files/file-process.ts'
import { createFileProcesses } from '../../../files/processes.ts'
import { textParts } from '../../../files/text-parts.ts'
import { fileProcesses } from '../../harness/file-processes.ts'
import { samplePdf, stream } from '../../harness/sample-files.ts'

const valid = samplePdf({ content: 'BT (Bill to jane@example.com) Tj ET', deflate: true })
const packed = (text: Buffer, dictionary = '') =>
  samplePdf({ objects: [stream(deflateSync(text), `${dictionary} /Filter /FlateDecode`)] })
/** Takes at least some tenths of a second: 60 MB of text in 60 KB. */
const long = packed(Buffer.alloc(60_000_000, 'BT (a) Tj ET '))

const inspect = (content: Buffer, files = fileProcesses) =>
  inspectUpload(files, 'acme', { content, purpose: 'evidence_file' })
const tooComplex = { status: 400, code: 'file_refused', message: expect.stringContaining('too complex to check') }

function bounded(limits: { cpuMs: number; wallMs: number }) {
  const killed: object[] = []
  const log = { warn: (fields: object) => void killed.push(fields) }
  return { ...createFileProcesses({ ...limits, processes: 2, waitMs: 20_000, log }), killed }
}

describe('a file is checked in its own process', () => {
  test('which returns its type and the addresses in it', async () => {
    expect(await inspect(valid)).toEqual({ type: 'application/pdf', addresses: ['jane@example.com'] })
  })

  test('and a refusal has its code and message', async () => {
    const pdf = samplePdf({ catalog: '/OpenAction << /S /JavaScript /JS (app.alert(1)) >>' })
    const refused = { status: 400, code: 'file_refused', message: 'file: Is refused because it holds JavaScript' }
    await expect(inspect(pdf)).rejects.toMatchObject(refused)
    const asImage = inspectUpload(fileProcesses, 'acme', { content: valid, purpose: 'evidence_image' })
    const message = 'file: Must be a PNG or JPEG picture for evidence_image, and this is a PDF'
    await expect(asImage).rejects.toMatchObject({ status: 400, code: 'file_type_not_accepted', message })
  })

  test('in parts that split no address', () => {
    const text = 'jane@example.com '.repeat(150_000)
    const cut = [...textParts(text)]
    expect(cut.length).toBeGreaterThan(2)
    expect(cut.join('')).toBe(text)
    expect(new Set(cut.flatMap((part) => addressesIn(part)))).toEqual(new Set(['jane@example.com']))
    expect([...textParts('x'.repeat(2_500_000))].map((part) => part.length)).toEqual([1_000_000, 1_000_000, 500_000])
  })

  test('while other work continues', async () => {
    let turns = 0
    const turning = setInterval(() => turns++, 1)
    await inspect(long).catch(() => {})
    clearInterval(turning)
    expect(turns).toBeGreaterThan(10)
  })
})

// Its memory: memory-limit.test.ts.
describe('finding 1: a file over a limit is refused, its process is killed, and the next file is checked', () => {
  test.each([
    ['cpu', { cpuMs: 50, wallMs: 60_000 }, tooComplex],
    // It used less than half of its processor time: the machine is busy, which says nothing about the file.
    ['starved', { cpuMs: 60_000, wallMs: 50 }, { status: 503 }],
  ])('%s', async (reason, limits, refusal) => {
    await using files = bounded(limits)
    await expect(inspect(long, files)).rejects.toMatchObject(refusal)
    expect(files.killed).toMatchObject([{ reason }])
    expect(await inspect(valid)).toMatchObject({ type: 'application/pdf' })
  })

  test.each([
    ['is not tried again if it was the cause', { cpuMs: 50, wallMs: 60_000 }, [true, true, true], 1],
    ['is tried again if the machine was too busy to run it', { cpuMs: 60_000, wallMs: 50 }, [false, false, false], 3],
  ])('a killed file %s', async (_, limits, finals, attempts) => {
    await using files = bounded(limits)
    const request = { job: 'countPages', account: 'acme', input: { content: long } } as const
    const ends = []
    for (let attempt = 0; attempt < 3; attempt++) ends.push(await files.run(request).catch(({ final }) => final))
    expect(ends).toEqual(finals)
    expect(files.killed).toHaveLength(attempts)
  })

  test('attempts at the same time share one process', async () => {
    await using files = bounded({ cpuMs: 50, wallMs: 60_000 })
    const request = { job: 'countPages', account: 'acme', input: { content: long } } as const
    const other = { ...request, account: 'globex' }
    const ends = await Promise.all([request, other, request].map((one) => files.run(one).catch(({ final }) => final)))
    expect([ends, files.killed]).toMatchObject([[true, true, true], [{ reason: 'cpu', attempts: 1 }]])
  })

  test('a process that the system did not run is starved, whatever its file contains', async () => {
    const started = await startFileProcess()
    process.kill(started.pid ?? 0, 'SIGSTOP')
    const limits = { cpuMs: 4_000, wallMs: 100 }
    expect(await started.run('countPages', { content: valid }, limits)).toEqual({ killed: 'starved' })
  })
})
