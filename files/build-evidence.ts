import { createHash } from 'node:crypto'
import type { EvidenceDocument } from '../domain/evidence/document/evidence-document.ts'
import { type PdfLimits, pagesForPdf } from '../domain/evidence/document/pdf-limits.ts'
import type { EvidenceLayout, PictureSize, PreparedExhibit, RenderedEvidence } from './jobs.ts'
import type { FileProcesses } from './processes.ts'
import { DAMAGED, FileFailed, FileKilled } from './refusals.ts'

/** A merchant's file that may become an exhibit. */
export interface CandidateFile {
  fileId: string
  /** Its content, decrypted. Called once, and again if the pictures must become smaller. */
  read(): Promise<Uint8Array>
}

/** What is to be printed, from the files that can be enclosed. */
export interface WrittenEvidence {
  document: EvidenceDocument
  /** In the order of `document.exhibits`: the heaviest first. */
  exhibits: readonly { fileId: string; letter: string }[]
  /** Characters of the PSP's text fields that go with it; 0 if there are none. */
  textCharacters: number
}

export interface EvidenceRequest<File extends CandidateFile, Written extends WrittenEvidence> {
  /** Its documents wait for each other. */
  account: string
  files: readonly File[]
  /**
   * Called again with fewer files whenever one can't be enclosed, so that no sentence mentions it. Pure; a
   * sentence for the merchant when there is nothing to print.
   */
  write(files: readonly File[]): Written | string
  limits: PdfLimits
}

export interface BuiltEvidence<Written extends WrittenEvidence> {
  pdf: Uint8Array
  pages: number
  /** What was printed: the last result of `write`. */
  written: Written
  /** `pages`: of the exhibit in the PDF. */
  exhibits: { fileId: string; letter: string; pages: number }[]
  /** Files that `write` chose and that are not enclosed. `why` is a sentence for the merchant. */
  dropped: DroppedFile[]
  /** Ids of the exhibits that have only the first pages of their file. */
  exhibitsCut: string[]
  /** Titles of the tables that have no room. */
  tablesLeft: string[]
  /** Sentences for the merchant: scripts without a font, pages left out, pictures made smaller. */
  warnings: string[]
}

export interface DroppedFile {
  fileId: string
  why: string
}

/** Why there is no PDF: a sentence for the merchant. */
export interface RefusedEvidence {
  refused: string
  dropped: DroppedFile[]
}

/**
 * Evidence with its exhibits as one PDF that the PSP accepts. Files are read, and the PDF is set, in processes that can be
 * killed: `processes` was created with the purpose `render`. A file that can't be read, is encrypted, animated or too
 * complex is left out and named; it never fails the others. If the PDF is too large, pictures are made smaller, long
 * tables lose their structure, then the lightest exhibits are left out. Equal requests give equal bytes.
 *
 * @throws FileKilled when the text itself is too complex, or, not `final`, when the machine is too busy: retry then
 * @throws NoSlot when too many documents of the account are waiting
 */
export async function buildEvidence<File extends CandidateFile, Written extends WrittenEvidence>(
  processes: FileProcesses,
  request: EvidenceRequest<File, Written>,
): Promise<BuiltEvidence<Written> | RefusedEvidence> {
  const { account, write, limits } = request
  let files = request.files
  const dropped: DroppedFile[] = []
  const drop = (left: readonly DroppedFile[]) => {
    dropped.push(...left)
    if (left.length === 0) return
    const ids = new Set(left.map(({ fileId }) => fileId))
    files = files.filter(({ fileId }) => !ids.has(fileId))
  }
  const rung: Rung = { size: 'full', compact: false, tables: Number.POSITIVE_INFINITY }
  let prepared = new Map<string, PreparedExhibit>()
  // Files that take the place of one that was too large would be too large, too.
  let isFull = false
  let wrote: { of: readonly File[]; written: Written | string } | undefined
  for (;;) {
    // Writing takes longer than setting if the merchant sent much.
    if (wrote?.of !== files) wrote = { of: files, written: write(files) }
    const { written } = wrote
    if (typeof written === 'string') return { refused: written, dropped }
    const unread = written.exhibits.filter(({ fileId }) => !prepared.has(fileId))
    const unfit = isFull ? unread.map(({ fileId }) => ({ fileId, why: NO_ROOM })) : []
    for (const { fileId } of isFull ? [] : unread) {
      const one = await prepare(processes, { account, file: fileOf(files, fileId), size: rung.size })
      if ('refused' in one) unfit.push({ fileId, why: `The file is left out, because ${one.refused}.` })
      else prepared.set(fileId, one)
    }
    if (unfit.length > 0) {
      drop(unfit)
      continue
    }
    const exhibits = written.exhibits.map((one) => ({ ...one, ...(prepared.get(one.fileId) as PreparedExhibit) }))
    const room = { bytes: limits.bytes, pages: pagesForPdf(limits, written.textCharacters) }
    const shrink = (over: { bytes: number; pages: number }) => {
      isFull = true
      const { whole, cut } = lightest(exhibits, over)
      drop(whole)
      if (cut) prepared.set(cut.fileId, cut)
    }
    // Text takes a page at least.
    const surplus = pagesOf(exhibits) - Math.max(room.pages - 1, 0)
    if (surplus > 0) {
      shrink({ bytes: 0, pages: surplus })
      continue
    }
    const set = await render(processes, { account, document: written.document, exhibits, rung })
    const over = { bytes: set.pdf.length - room.bytes, pages: set.pages - room.pages }
    if (rung.size === 'full' && set.pdf.length > Math.min(room.bytes, TARGET_BYTES) && hasPictures(exhibits)) {
      rung.size = 'small'
      prepared = new Map([...prepared].filter(([, { format }]) => format !== 'jpg'))
      continue
    }
    if (over.bytes <= 0 && over.pages <= 0) return built({ set, written, exhibits, dropped, rung })
    if (over.bytes > 0 && !rung.compact) rung.compact = true
    else if (exhibits.length > 0) shrink(over)
    else if (rung.tables > 0) rung.tables = Math.min(rung.tables, written.document.tables.length) - 1
    else return { refused: tooLarge(set, room), dropped }
  }
}

/** What is given up, from the least to the most. */
interface Rung {
  size: PictureSize
  compact: boolean
  /** Number of tables that are printed. */
  tables: number
}

type SetExhibit = WrittenEvidence['exhibits'][number] & PreparedExhibit

/** Above it pictures are made smaller: readers wait for a large file, and some acquirers take no more. */
const TARGET_BYTES = 2_000_000
const PRINT_THEM = 'print the file to a PDF with them, or use `highlight`.'
const NO_ROOM = 'The file is left out, because the PSP takes no larger document.'

const pagesOf = (exhibits: readonly SetExhibit[]) => exhibits.reduce((sum, { pages }) => sum + pages.length, 0)
const hasPictures = (exhibits: readonly SetExhibit[]) => exhibits.some(({ format }) => format === 'jpg')

function fileOf<File extends CandidateFile>(files: readonly File[], fileId: string): File {
  const found = files.find((one) => one.fileId === fileId)
  if (!found) throw new RangeError('`write` chose a file that it was not given')
  return found
}

/**
 * As many of the last exhibits as have these bytes and pages. `cut`: one that keeps its first pages, because leaving out the
 * others is enough.
 */
function lightest(exhibits: readonly SetExhibit[], over: { bytes: number; pages: number }) {
  const whole: DroppedFile[] = []
  let { bytes, pages } = over
  for (const one of exhibits.toReversed()) {
    if (bytes <= 0 && pages <= 0) break
    if (bytes <= 0 && one.pages.length > pages) return { whole, cut: { ...one, pages: one.pages.slice(0, -pages) } }
    bytes -= one.content.length
    pages -= one.pages.length
    whole.push({ fileId: one.fileId, why: NO_ROOM })
  }
  return { whole, cut: null }
}

async function prepare(
  processes: FileProcesses,
  { account, file, size }: { account: string; file: CandidateFile; size: PictureSize },
): Promise<PreparedExhibit | { refused: string }> {
  const content = await file.read()
  try {
    return await processes.run({ job: 'prepareExhibit', account, input: { content, size } })
  } catch (error) {
    if (error instanceof FileKilled && error.final) return { refused: 'it is too complex' }
    if (error instanceof FileFailed) return { refused: DAMAGED }
    throw error
  }
}

function render(
  processes: FileProcesses,
  one: { account: string; document: EvidenceDocument; exhibits: readonly SetExhibit[]; rung: Rung },
): Promise<RenderedEvidence> {
  const { account, document, exhibits, rung } = one
  const layout: EvidenceLayout = {
    document: { ...document, tables: document.tables.slice(0, rung.tables) },
    exhibits: exhibits.map(({ content, format, pages, of }) => ({
      file: `${createHash('sha256').update(content).digest('hex')}.${format}`,
      ...{ pages, of },
    })),
    compact: rung.compact,
  }
  const content = new TextEncoder().encode(JSON.stringify(layout))
  return processes.run({
    ...{ job: 'renderEvidence', account },
    input: { content, exhibits: exhibits.map((exhibit) => exhibit.content) },
  })
}

function built<Written extends WrittenEvidence>(one: {
  set: RenderedEvidence
  written: Written
  exhibits: readonly SetExhibit[]
  dropped: DroppedFile[]
  rung: Rung
}): BuiltEvidence<Written> {
  const { set, written, exhibits, dropped, rung } = one
  const tablesLeft = written.document.tables.slice(rung.tables).map(({ title }) => title)
  const cut = exhibits.filter(({ pages, of }) => of > pages.length)
  return {
    ...{ pdf: set.pdf, pages: set.pages, written, dropped, tablesLeft },
    exhibitsCut: cut.map(({ fileId }) => fileId),
    exhibits: exhibits.map(({ fileId, letter, pages }) => ({ fileId, letter, pages: pages.length })),
    warnings: [
      ...set.uncovered.map((script) => `There is no font for the script ${script}: its characters print as [?].`),
      ...cut.map(({ letter, pages, of }) => `Exhibit ${letter} has the first ${pages.length} of ${of} pages.`),
      ...exhibits
        .filter(({ lost }) => lost > 0)
        .map(({ letter, lost }) => `Comments and marks of Exhibit ${letter} (${lost}) can't be printed: ${PRINT_THEM}`),
      ...(rung.size === 'small'
        ? ['Pictures are printed in a lower resolution, so that the document is not too large.']
        : []),
      ...tablesLeft.map((title) => `There is no room for the table "${title}".`),
    ],
  }
}

function tooLarge({ pdf, pages }: RenderedEvidence, room: { bytes: number; pages: number }): string {
  return pages > room.pages
    ? `The texts alone have ${pages} page${pages === 1 ? '' : 's'}, and the PSP takes ${Math.max(room.pages, 0)}. Shorten the data of the chargeback.`
    : `The texts alone have ${pdf.length} bytes, and the PSP takes ${room.bytes}. Shorten the data of the chargeback.`
}
