import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { renderEvidence } from '../../../../files/evidence/render.ts'
import { createFileProcesses, type FileJob } from '../../../../files/processes.ts'
import { documentOf } from '../../domain/evidence/document/document-input.ts'

const bytes = (document: object) => new TextEncoder().encode(JSON.stringify({ document, exhibits: [], compact: false }))
const hash = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')
const ARABIC = 'شارع الملك فهد، الرياض'

describe('renderer processes', () => {
  const pool = (limits = { cpuMs: 20_000, wallMs: 60_000 }) => {
    const killed: object[] = []
    const log = { warn: (fields: object) => void killed.push(fields) }
    return { ...createFileProcesses({ ...limits, processes: 2, waitMs: 60_000, purpose: 'render', log }), killed }
  }
  const job = (document: object): FileJob<'renderEvidence'> => ({
    ...{ job: 'renderEvidence', account: 'acme' },
    input: { content: bytes(document), exhibits: [] },
  })

  test('give the same bytes, also in two processes', async () => {
    const { document } = documentOf({ transactionShippingToFullShippingAddress: ARABIC })
    await using files = pool()
    const first = await files.run(job(document))
    const again = await files.run(job(document))
    const elsewhere = await renderEvidence({ content: bytes(document), exhibits: [] })
    expect(new Set([first, again, elsewhere].map(({ pdf }) => hash(pdf))).size).toBe(1)
  })

  // Three seconds of processor time are a minute on a busy machine.
  test('are killed by a document that takes too long, and the next one is rendered', async () => {
    await using files = pool({ cpuMs: 3_000, wallMs: 60_000 })
    const { document } = documentOf()
    const statements = Array.from({ length: 20_000 }, (_, index) => `Sentence ${index} ${'word '.repeat(300)}`)
    await expect(files.run(job({ ...document, statements }))).rejects.toMatchObject({ name: 'FileKilled' })
    expect(files.killed).toHaveLength(1)
    expect(await files.run(job(document))).toMatchObject({ pages: 1 })
  }, 180_000)
})
