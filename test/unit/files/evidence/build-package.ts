import type { EnclosedFile } from '../../../../domain/evidence/document/document-exhibits.ts'
import type { PdfLimits } from '../../../../domain/evidence/document/pdf-limits.ts'
import { writeEvidence } from '../../../../domain/evidence/document/write-evidence.ts'
import { buildEvidence } from '../../../../files/build-evidence.ts'
import { perform } from '../../../../files/perform.ts'
import type { FileProcesses } from '../../../../files/processes.ts'
import { NOW } from '../../domain/evidence/evidence-input.ts'
import { contentOf } from './hostile-exhibits.ts'
import { claimOf, type PackageCase, sourcesOf } from './package-cases.ts'

/** Jobs in the calling process: files of tests need no process that can be killed. */
export const IN_PROCESS: FileProcesses = { run: ({ job, input }) => perform(job, input), prepare() {} }

export const LIMITS: PdfLimits = { bytes: 4_000_000, pages: 19, charactersPerPage: null }

export interface CaseRequest {
  limits?: PdfLimits
  processes?: FileProcesses
  /** Content by name, in place of that of exhibits/. */
  contents?: Readonly<Record<string, Uint8Array>>
  textCharacters?: number
}

/** The package of a case, as a worker builds it. */
export function buildPackage(one: PackageCase, request: CaseRequest = {}) {
  const { limits = LIMITS, processes = IN_PROCESS, contents = {}, textCharacters = 0 } = request
  const { merchantName = 'Shoes Example Ltd', earlier = null, earlierPayments = [] } = one
  const files = one.files.map((file, index) => ({
    ...{ fileId: `${index}`, of: 'chargeback' as const, kind: file.kind, name: file.name },
    ...{ caption: file.caption ?? null, highlights: file.highlights ?? [] },
    read: async () => contents[file.name] ?? contentOf(file.name),
  })) satisfies EnclosedFile[]
  return buildEvidence(processes, {
    ...{ account: 'acme', files, limits },
    write(left) {
      const input = { claim: claimOf(one), sources: sourcesOf(one), earlier, earlierPayments, exhibits: [], now: NOW }
      const written = writeEvidence(input, { files: left, merchantName })
      return typeof written === 'string' ? written : { ...written, textCharacters }
    },
  })
}
