import type { CompellingEvidenceInput } from '../../domain/assessment/compelling-evidence.ts'

/** Evidence in the contract: a dispute's requirements, the available material, and the plan that matches them. */

export interface EvidenceLimits {
  /** MIME types. */
  fileTypes: readonly string[]
  maxFileBytes: number
  /** Of a PDF, if other files may be larger. */
  maxPdfBytes?: number
  maxTotalBytes: number
  maxFiles: number
  maxPages: number | null
  /** Characters of text that count as one page; absent if only files count. */
  charactersPerPage?: number
  /** Named places for one file each. */
  fileFields: readonly string[]
  /** Characters per text field. */
  textFields: Readonly<Record<string, number>>
  maxTextCharacters: number
}

export interface EvidenceRequirements extends EvidenceLimits {
  answerable: boolean
  /** Why it can't be contested; null when it can. */
  reason: string | null
  dueDate: string | null
  oneShot: boolean
  /** Groups of fields; each group needs a file in one of its fields before a submission. Absent = none. */
  requiredFields?: readonly (readonly string[])[]
  /** The PSP's current number of submissions, for later probes. Absent if it does not count them. */
  submissions?: number
  /** Earlier purchases on the same card can be sent in separate fields (Visa compelling evidence 3.0). */
  compellingEvidence?: true
}

export interface EvidenceFile {
  fileId: string
  name: string
  type: string
  bytes: number
  sha256: string
  /** Preferred place; the plan falls back to the uncategorised one. */
  field?: string
}

export interface EvidencePacket {
  files: EvidenceFile[]
  texts: Record<string, string>
  /** Data about the disputed purchase and earlier ones; only if the requirements ask for it. */
  purchases?: CompellingEvidenceInput
}

export type SubmissionStep = { do: 'upload'; fileId: string; field: string } | { do: 'stage' } | { do: 'submit' }

export interface SubmissionPlan {
  steps: SubmissionStep[]
  texts: Record<string, string>
  /** sha256 over everything planned; the mark at PSPs with metadata. */
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
  /** Digest of the submission that it belongs to, as in `SubmissionRequest`. */
  digest?: string
  owner?: string
}

export interface WriteRequest {
  reference: string
  /**
   * Derived from business identity; shortened deterministically if necessary. `sent`: an earlier call may have reached
   * the PSP.
   */
  idempotencyKey: string
  sent?: boolean
}

/**
 * `pending`: the PSP accepted it and will act. `already_applied`: nothing was sent now. Neither is an outcome of the
 * dispute.
 */
export interface Receipt {
  result: 'applied' | 'pending' | 'already_applied'
  requestId: string | null
  /** With `already_applied` of a staging: parts of the plan that the PSP refused, and why. */
  leftOut?: { what: string; why: string }[]
}

export interface SubmissionRequest extends WriteRequest {
  digest: string
  /** Recoup's chargeback: the same in all its submissions, different for every tenant. Absent = `digest`. */
  owner?: string
  /** field → the PSP's file reference. */
  files: Record<string, string>
  texts: Record<string, string>
  /** field → content, for PSPs without a files API; the plan's upload steps name the places. */
  documents?: Record<string, DocumentContent>
}
