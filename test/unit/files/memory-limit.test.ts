import { expect, test } from 'vitest'
import { inspectUpload } from '../../../api/files/file-inspection.ts'
import { createFileProcesses } from '../../../files/processes.ts'
import { nestedArrays } from '../../faults/hostile/nested-arrays.ts'
import { samplePdf } from '../../harness/sample-files.ts'

const nested = nestedArrays()

test('finding 1: a 62 KB PDF whose object stream inflates to nested arrays is refused, its process is killed, and the next file is checked', async () => {
  const killed: object[] = []
  const log = { warn: (fields: object) => void killed.push(fields) }
  await using files = createFileProcesses({ cpuMs: 60_000, wallMs: 120_000, processes: 2, waitMs: 20_000, log })
  const inspect = (content: Buffer) => inspectUpload(files, 'acme', { content, purpose: 'evidence_file' })
  expect(nested.length).toBeLessThan(62 * 1024)
  const message = expect.stringContaining('too complex to check')
  await expect(inspect(nested)).rejects.toMatchObject({ status: 400, code: 'file_refused', message })
  expect(killed).toMatchObject([{ reason: 'memory' }])
  expect(await inspect(samplePdf())).toMatchObject({ type: 'application/pdf' })
}, 180_000)
