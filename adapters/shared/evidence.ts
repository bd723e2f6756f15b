import type { CompellingEvidenceInput } from '../../domain/assessment/compelling-evidence.ts'

/** Evidence in the contract: what a dispute takes, what there is, and the plan that fits one to the other. */

export interface EvidenceLimits {
  /** MIME types. */
  fileTypes: readonly string[]
  maxFileBytes: number
  maxTotalBytes: number
  maxFiles: number
  maxPages: number | null
  /** Named places for one file each. */
  fileFields: readonly string[]
  /** Characters per text field. */
  textFields: Readonly<Record<string, number>>
  maxTextCharacters: number
}

export interface EvidenceRequirements extends EvidenceLimits {
  answerable: boolean
  /** Why it can't be answered; null when it can. */
  reason: string | null
  dueDate: string | null
  oneShot: boolean
  /** Groups of fields; nothing can be submitted before each group has a file in one of its fields. Absent = none. */
  requiredFields?: readonly (readonly string[])[]
  /** Submissions that the PSP counts so far: what a later probe compares with. Absent where it counts none. */
  submissions?: number
  /** Earlier purchases on the same card can be sent in fields of their own (Visa compelling evidence 3.0). */
  compellingEvidence?: true
}

export interface EvidenceFile {
  fileId: string
  name: string
  type: string
  bytes: number
  sha256: string
  /** Wanted place; the plan falls back to the uncategorised one. */
  field?: string
}

export interface EvidencePacket {
  files: EvidenceFile[]
  texts: Record<string, string>
  /** What is known about the disputed purchase and earlier ones; only where the requirements ask for it. */
  purchases?: CompellingEvidenceInput
}

export type SubmissionStep = { do: 'upload'; fileId: string; field: string } | { do: 'stage' } | { do: 'submit' }

export interface SubmissionPlan {
  steps: SubmissionStep[]
  texts: Record<string, string>
  /** sha256 over everything planned; what a PSP that keeps metadata is marked with. */
  digest: string
  dropped: { what: string; why: string }[]
  shortened: { field: string; from: number; to: number }[]
}

export interface DocumentContent {
  name: string
  type: string
  data: Uint8Array
}

export interface UploadRequest {
  reference: string
  file: DocumentContent
  idempotencyKey: string
  /** Of the submission that it belongs to, as in `SubmissionRequest`. */
  digest?: string
  owner?: string
}

export interface WriteRequest {
  reference: string
  /** Of business identity; shortened always the same way if it must. `sent`: an earlier call may have reached the PSP. */
  idempotencyKey: string
  sent?: boolean
}

/** `pending`: the PSP took it and will act. `already_applied`: nothing was sent now. None is an outcome of the dispute. */
export interface Receipt {
  result: 'applied' | 'pending' | 'already_applied'
  requestId: string | null
  /** Of what is staged "already": parts of the plan that the PSP would not take, and why. */
  leftOut?: { what: string; why: string }[]
}

export interface SubmissionRequest extends WriteRequest {
  digest: string
  /** Chargeback of ours that it is for: the same in all its submissions, another for every tenant. Absent = `digest`. */
  owner?: string
  /** field → the PSP's file reference. */
  files: Record<string, string>
  texts: Record<string, string>
  /** field → content, for PSPs without a files API: the plan's upload steps name the places, the content comes here. */
  documents?: Record<string, DocumentContent>
}
