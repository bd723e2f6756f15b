import type { EvidenceDocument } from '../domain/evidence/document/evidence-document.ts'
import type { FilePurpose, FileType } from '../domain/evidence/file.ts'

/** Jobs of a file process. Both sides of the channel import this file, which parses nothing. */
export interface Jobs {
  /** The check of an upload. */
  inspect: { input: { content: Uint8Array; purpose: FilePurpose; mostAddresses: number }; result: InspectionResult }
  /** Pages of a PDF. */
  countPages: { input: { content: Uint8Array }; result: PageCount }
  /** A picture as a PDF of one page; null when it can't be read. The same picture always gives the same bytes. */
  convertToPdf: { input: { content: Uint8Array; type: string }; result: Uint8Array | null }
  /** A merchant's file as an exhibit: a picture in shades of grey, or the first pages of a PDF with nothing but their content. */
  prepareExhibit: { input: { content: Uint8Array; size: PictureSize }; result: PreparedExhibit | { refused: string } }
  /**
   * Evidence as a PDF; `content` is the JSON of an `EvidenceLayout`, `exhibits` has the files that it names. The same
   * input always gives the same bytes.
   */
  renderEvidence: { input: { content: Uint8Array; exhibits: Uint8Array[] }; result: RenderedEvidence }
}
export type JobName = keyof Jobs

/** What a process is started for: it decides which libraries are loaded, and how much memory a job may take. */
export type ProcessPurpose = 'read' | 'render'

export interface Inspection {
  type: FileType
  /** E-mail addresses in the readable texts of the file. */
  addresses: string[]
}

export type InspectionResult =
  | Inspection
  /** Wrong type for this purpose; `type` is null for an unsupported type. */
  | { refused: 'type'; type: FileType | null }
  /** `reason` completes the sentence "it is refused because …". */
  | { refused: 'content'; reason: string }

export interface PageCount {
  /** Null when the document can't be opened. */
  pages: number | null
  encrypted: boolean
}

/** Of a picture: sharp enough for small print on A4, or the smallest that is still legible. */
export type PictureSize = 'full' | 'small'

/** A file that the layout can set. `refused` in its place completes the sentence "it is left out because …". */
export interface PreparedExhibit {
  content: Uint8Array
  format: 'jpg' | 'pdf'
  /** Size of each page, in a unit that is the same for both sides. */
  pages: { width: number; height: number }[]
  /** Pages of the merchant's file: more than `pages` if the last ones are left out. */
  of: number
  /** Comments and marks of the merchant's file that can't be printed. */
  lost: number
}

/** What the template prints. */
export interface EvidenceLayout {
  document: EvidenceDocument
  /** One for each of the document's exhibits, in their order. `file`: SHA-256 and extension of its content. */
  exhibits: (Pick<PreparedExhibit, 'pages' | 'of'> & { file: string })[]
  /** Whether long tables are taken out of the PDF's structure, which saves bytes. */
  compact: boolean
}

export interface RenderedEvidence {
  pdf: Uint8Array
  pages: number
  /** Scripts with characters that no font has, e.g. `Tamil`. The PDF has `[?]` instead. */
  uncovered: string[]
}

/** Request to the process. `cpuMs`: processor time in milliseconds after which it ends itself. */
export interface Order {
  job: JobName
  input: Jobs[JobName]['input']
  cpuMs: number
}

/** Response of the process. `rss`: its resident bytes after the job. */
export type Reply = { result: Jobs[JobName]['result']; rss: number } | { failed: string; rss: number }
