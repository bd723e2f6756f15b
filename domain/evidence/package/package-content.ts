import { addressesIn } from '../../accounts/addresses.ts'
import { type Composition, composeEvidence, type EvidenceInput } from '../compose.ts'
import { type EvidenceDocument, evidenceDocument } from '../document/evidence-document.ts'
import { isolated } from '../document/printed-text.ts'
import { chooseExhibits, type ExhibitFile, lettersOf } from '../exhibits.ts'
import type { PointSource, Warning } from '../gather-facts.ts'
import { fillTexts } from '../texts/fill-texts.ts'
import type { TextTable } from '../texts/text-table.ts'

/** An uploaded file with the client's words about it. */
export interface PackageFile extends ExhibitFile {
  caption: string | null
}

export interface PackageInput {
  evidence: Omit<EvidenceInput, 'exhibits' | 'mark'>
  /** The client's data points in order of precedence. */
  client: readonly PointSource[]
  merchantName: string
  /** Newest first. */
  files: readonly PackageFile[]
  /** The PSP's text fields. */
  table: TextTable
  limits: { textFields: Readonly<Record<string, number>>; maxTextCharacters: number }
}

/** What a package says and from what, as it is sealed. Everything but names and ids is about a person. */
export interface PackageContent {
  /** For the PSP's text fields. */
  texts: Record<string, string>
  textsLeftOut: { field: string; why: string }[]
  statements: { id: string; kept: boolean; text?: string; why?: string; exhibits: string[] }[]
  exhibits: { letter: string; fileId: string; kind: string; caption?: string }[]
  filesLeft: { fileId: string; why: string }[]
  requiredMissing: string[]
  missing: string[]
  warnings: { code: Warning['code'] | 'document'; message: string }[]
  /** Of all data, also of what is not said, so that a person is found by them. */
  addresses: string[]
}

/** What is known of a package without opening it. */
export type PackageSummary = Pick<Composition, 'play' | 'playbook' | 'completeness' | 'manualOnly'> & {
  /** Number of required things that are missing. */
  requiredMissing: number
  /** Ids of the statements that are said. */
  kept: string[]
  /** Facts contradict each other, or speak against the merchant. */
  contradicted: boolean
}

export interface AssembledPackage {
  summary: PackageSummary
  content: PackageContent
  /** Null when nothing can be said. */
  document: EvidenceDocument | null
}

/** Everything about a package but its pages. Pure: equal input gives an equal package. */
export function assemblePackage(input: PackageInput): AssembledPackage {
  const { client, files, table, limits, merchantName } = input
  const evidence: EvidenceInput = { ...input.evidence, exhibits: files.map(({ kind }) => kind) }
  const composed = composeEvidence(evidence)
  const made = evidenceDocument({ composed: composeEvidence({ ...evidence, mark: isolated }), merchantName })
  const { exhibits, left } = chooseExhibits(files, composed.statements)
  const { texts, leftOut } = fillTexts({ composition: composed, client, table, limits })
  const { play, playbook, completeness, manualOnly, requiredMissing, missing, statements, warnings } = composed
  return {
    summary: {
      ...{ play, playbook, completeness, manualOnly },
      requiredMissing: requiredMissing.length,
      kept: statements.filter((one) => one.kept).map(({ id }) => id),
      contradicted: warnings.some(({ code }) => code === 'contradiction' || code === 'adverse'),
    },
    content: {
      texts,
      textsLeftOut: leftOut,
      statements: statements.map((one) => ({
        ...{ id: one.id, kept: one.kept },
        ...(one.text !== undefined && { text: one.text }),
        ...(one.why !== undefined && { why: one.why }),
        exhibits: lettersOf(one, exhibits),
      })),
      exhibits: exhibits.map(({ letter, fileId, kind, caption }) => ({
        ...{ letter, fileId, kind, ...(caption !== null && { caption }) },
      })),
      filesLeft: left.map(({ fileId, why }) => ({ fileId, why })),
      ...{ requiredMissing, missing },
      warnings: [
        ...warnings.map(({ code, message }) => ({ code, message })),
        ...(made?.left ?? []).map((id) => ({
          ...{ code: 'document' as const, message: `There is no room for the sentence ${id}.` },
        })),
      ],
      addresses: addressesIn(JSON.stringify(evidence.sources.map(({ points }) => points))),
    },
    document: made?.document ?? null,
  }
}
