import { writeFile } from 'node:fs/promises'
import { composeEvidence, type EvidenceInput } from '../../domain/evidence/compose.ts'
import { evidenceDocument } from '../../domain/evidence/document/evidence-document.ts'
import { isolated } from '../../domain/evidence/document/printed-text.ts'
import { createFileProcesses } from '../../files/processes.ts'
import { FileKilled } from '../../files/refusals.ts'
import { UsageError } from '../command.ts'

/** What `playbook preview --pdf` wrote. */
export interface WrittenPdf {
  file: string
  pages: number
  bytes: number
  /** What the PDF leaves out. */
  warnings: string[]
}

/** Milliseconds of processor time and of time that passes, for one document. */
const LIMITS = { cpuMs: 20_000, wallMs: 120_000 }

/** Sets the evidence as a PDF, in a process that can be killed. @throws UsageError when the file exists */
export async function writePdf(file: string, input: EvidenceInput, merchantName: string): Promise<WrittenPdf> {
  const composed = composeEvidence({ ...input, mark: isolated })
  const made = evidenceDocument({ composed, merchantName })
  if (!made)
    throw new Error('No sentence can be said about this chargeback, so there is no PDF. Send the missing data.')
  const { pdf, pages, uncovered } = await render(new TextEncoder().encode(JSON.stringify(made.document)))
  try {
    await writeFile(file, pdf, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new UsageError(`--pdf: ${file} exists already, and is not overwritten`)
  }
  return {
    ...{ file, pages, bytes: pdf.length },
    warnings: [
      ...uncovered.map((script) => `There is no font for the script ${script}: its characters print as [?].`),
      ...made.left.map((id) => `There is no room for the sentence ${id}.`),
    ],
  }
}

async function render(content: Uint8Array) {
  const log = { warn() {} }
  await using processes = createFileProcesses({ ...LIMITS, processes: 1, waitMs: 0, purpose: 'render', log })
  try {
    return await processes.run({ job: 'renderEvidence', account: 'operator', input: { content } })
  } catch (error) {
    if (!(error instanceof FileKilled)) throw error
    throw new Error(`The PDF takes too long or too much memory (${error.reason}). Shorten the data of the chargeback.`)
  }
}
