import { writeFile } from 'node:fs/promises'
import { adapterFor } from '../../adapters/registry.ts'
import type { Database } from '../../db/core/connect.ts'
import type { KeyRing } from '../../db/core/seal.ts'
import type { EvidenceSources } from '../../db/evidence/evidence-facts.ts'
import { readFile } from '../../db/evidence/files.ts'
import type { EvidenceInput } from '../../domain/evidence/compose.ts'
import { pdfLimits } from '../../domain/evidence/document/pdf-limits.ts'
import { writeEvidence } from '../../domain/evidence/document/write-evidence.ts'
import { buildEvidence } from '../../files/build-evidence.ts'
import { createFileProcesses } from '../../files/processes.ts'
import { FileKilled } from '../../files/refusals.ts'
import { UsageError } from '../command.ts'
import { previewTexts } from './preview-texts.ts'

/** What `playbook preview --pdf` wrote. */
export interface WrittenPdf {
  file: string
  pages: number
  bytes: number
  exhibits: { fileId: string; letter: string; pages: number }[]
  /** What the PDF leaves out. */
  warnings: string[]
}

/** Milliseconds of processor time and of time that passes, for one file or document. */
const LIMITS = { cpuMs: 20_000, wallMs: 120_000 }
/** Of PSPs that take no evidence by their API: the PDF is for a person. */
const NO_LIMITS = { maxFileBytes: 4_000_000, maxTotalBytes: 4_000_000, maxPages: null }

/**
 * Sets the evidence as a PDF, in processes that can be killed.
 * @param input `exhibits`: kinds of files to assume
 * @throws UsageError when the file exists
 */
export async function writePdf(
  { db, ring }: { db: Database; ring: KeyRing },
  { file, input, sources }: { file: string; input: EvidenceInput; sources: EvidenceSources },
): Promise<WrittenPdf> {
  const { merchantUuid, merchantName, psp } = sources
  const limits = adapterFor(psp.source, psp.secretType)?.evidence ?? NO_LIMITS
  await using processes = createFileProcesses({ ...LIMITS, ...POOL })
  const made = await buildEvidence(processes, {
    account: 'operator',
    files: sources.files.map((one) => ({
      ...one,
      read: async () => (await readFile(db, ring, { merchantUuid, fileId: one.fileId })).content,
    })),
    write(files) {
      const written = writeEvidence(input, { files, merchantName })
      if (typeof written === 'string') return written
      const { texts } = previewTexts(sources, written.composed, false)
      return { ...written, textCharacters: texts.reduce((sum, { characters }) => sum + characters, 0) }
    },
    limits: pdfLimits(limits),
  }).catch((error: unknown) => {
    if (!(error instanceof FileKilled)) throw error
    throw new Error(`The PDF takes too long or too much memory (${error.reason}). Shorten the data of the chargeback.`)
  })
  if ('refused' in made) throw new Error(made.refused)
  await writeNew(file, made.pdf)
  return {
    ...{ file, pages: made.pages, bytes: made.pdf.length, exhibits: made.exhibits },
    warnings: [
      ...made.warnings,
      ...made.dropped.map(({ fileId, why }) => `${fileId}: ${why}`),
      ...made.written.statementsLeft.map((id) => `There is no room for the sentence ${id}.`),
    ],
  }
}

const POOL = { processes: 1, waitMs: 0, purpose: 'render', log: { warn() {} } } as const

async function writeNew(file: string, content: Uint8Array): Promise<void> {
  try {
    await writeFile(file, content, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new UsageError(`--pdf: ${file} exists already, and is not overwritten`)
  }
}
