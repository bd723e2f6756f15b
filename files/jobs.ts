import type { FilePurpose, FileType } from '../domain/evidence/file.ts'

/** What a file process can be asked for. Both sides of the channel import this; none of it parses anything. */
export interface Jobs {
  /** The check of an upload. */
  inspect: { input: { content: Uint8Array; purpose: FilePurpose; mostAddresses: number }; result: InspectionResult }
  /** Pages of a PDF. */
  countPages: { input: { content: Uint8Array }; result: PageCount }
  /** A picture as a PDF of one page; null when the picture can't be read. The same picture always gives the same bytes. */
  convertToPdf: { input: { content: Uint8Array; type: string }; result: Uint8Array | null }
}
export type JobName = keyof Jobs

export interface Inspection {
  type: FileType
  /** E-mail addresses in the texts of the file, as far as they can be read. */
  addresses: string[]
}

export type InspectionResult =
  | Inspection
  /** Not a file of this purpose; `type` is null where it is none that is accepted. */
  | { refused: 'type'; type: FileType | null }
  /** `reason` completes the sentence "it is refused because …". */
  | { refused: 'content'; reason: string }

export interface PageCount {
  /** Null when the document can't be opened. */
  pages: number | null
  encrypted: boolean
}

/** What goes to the process. `cpuMs`: processor time in milliseconds after which it ends itself. */
export interface Order {
  job: JobName
  input: Jobs[JobName]['input']
  cpuMs: number
}

/** What comes back. `rss`: resident bytes of the process after the job. */
export type Reply = { result: Jobs[JobName]['result']; rss: number } | { failed: string; rss: number }
