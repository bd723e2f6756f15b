import { whyNothingIsBuilt } from '../answers-claim.ts'
import { type Composition, composeEvidence, type EvidenceInput } from '../compose.ts'
import { chooseExhibits, type Exhibit } from '../exhibits.ts'
import type { EnclosedFile } from './document-exhibits.ts'
import { type EvidenceDocument, evidenceDocument } from './evidence-document.ts'
import { isolated } from './printed-text.ts'

export interface EvidenceWriting<File extends EnclosedFile> {
  /** Without marks of layout: for the PSP's text fields. */
  composed: Composition
  document: EvidenceDocument
  /** In the order of the document's exhibits. */
  exhibits: Exhibit<File>[]
  /** Files without a letter. */
  filesLeft: (File & { why: string })[]
  /** Ids of kept statements that the document has no room for. */
  statementsLeft: string[]
}

const TOO_LONG = 'The sentences are too long to be printed. Shorten the data of the chargeback.'

/**
 * Everything that can be said with these files, as texts and as a document; a sentence for the merchant when nothing answers
 * the claim. Pure.
 * @param input `exhibits`: kinds of files to assume, in addition to those of `files`
 * @param files newest first
 */
export function writeEvidence<File extends EnclosedFile>(
  input: Omit<EvidenceInput, 'mark'>,
  { files, merchantName }: { files: readonly File[]; merchantName: string },
): EvidenceWriting<File> | string {
  const given = { ...input, exhibits: [...input.exhibits, ...files.map(({ kind }) => kind)] }
  const composed = composeEvidence(given)
  const why = whyNothingIsBuilt(composed)
  if (why !== null) return why
  const { exhibits, left } = chooseExhibits(files, composed)
  const made = evidenceDocument({ composed: composeEvidence({ ...given, mark: isolated }), merchantName, exhibits })
  if (!made) return TOO_LONG
  return { composed, document: made.document, exhibits, filesLeft: left, statementsLeft: made.left }
}
