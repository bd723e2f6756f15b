import { addressesIn } from '../../accounts/addresses.ts'
import type { CompellingEvidenceInput } from '../../assessment/compelling-evidence.ts'
import { type Composition, composeEvidence, type EvidenceInput } from '../compose.ts'
import type { EnclosedFile } from '../document/document-exhibits.ts'
import type { EvidenceDocument } from '../document/evidence-document.ts'
import { writeEvidence } from '../document/write-evidence.ts'
import { IRRELEVANT, lettersOf } from '../exhibits.ts'
import type { FactName, PointSource } from '../fact-catalogue.ts'
import { unusedSentence } from '../overrides.ts'
import { cutTables } from '../structures/tables.ts'
import { fillTexts } from '../texts/fill-texts.ts'
import type { TextTable } from '../texts/text-table.ts'
import { type FrozenPurchases, freezePurchases } from './frozen-purchases.ts'

export interface PackageInput {
  evidence: Omit<EvidenceInput, 'exhibits' | 'mark'>
  /** The client's data points in order of precedence. */
  client: readonly PointSource[]
  merchantName: string
  purchases: CompellingEvidenceInput
  /** Newest first. */
  files: readonly EnclosedFile[]
  /** The PSP could not be asked what this dispute takes: `limits` are those of all its disputes. */
  limitsAssumed?: boolean
  /** The PSP's text fields. */
  table: TextTable
  limits: {
    textFields: Readonly<Record<string, number>>
    maxTextCharacters: number
    /** Fields for files. */
    fileFields: readonly string[]
  }
}

/** What a package says and from what, as it is sealed. Everything but names and ids is about a person. */
export interface PackageContent {
  /** For the PSP's text fields. */
  texts: Record<string, string>
  textsLeftOut: { field: string; why: string }[]
  /** For PSPs that take earlier purchases as data. Absent where compelling evidence does not apply, and in packages of build 1. */
  purchases?: FrozenPurchases | null
  statements: { id: string; kept: boolean; text?: string; why?: string; exhibits: string[] }[]
  /** `pages`: in the PDF. */
  exhibits: { letter: string; fileId: string; kind: string; caption?: string; pages?: number }[]
  filesLeft: { fileId: string; why: string }[]
  requiredMissing: string[]
  missing: string[]
  /** For the merchant, in sentences. */
  warnings: string[]
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
  /** A sentence for the merchant when nothing answers the claim. */
  document: EvidenceDocument | string
  /** Characters of the texts. */
  textCharacters: number
  /** The PSP's field for the PDF; null for the one of documents of any kind. */
  place: string | null
  /** Files, fields with a shorter text or none, sentences without room and tables with fewer rows, by id, name or title. */
  dropped: string[]
  /** Where in the account's playbooks the sentences stand that can't be used; absent if there are none. */
  unusedSentences?: string[]
}

const LIMITS_ASSUMED =
  'The PSP could not be asked what this dispute takes, so its general limits are assumed. The package is built again within minutes.'

/** Everything about a package but its pages. Pure: equal input gives an equal package. */
export function assemblePackage(input: PackageInput): AssembledPackage {
  const { client, files, table, limits, merchantName } = input
  const evidence = { ...input.evidence, exhibits: [] }
  const written = writeEvidence(evidence, { files, merchantName })
  const made = typeof written === 'string' ? null : written
  const composed = made?.composed ?? composeEvidence({ ...evidence, exhibits: files.map(({ kind }) => kind) })
  const { exhibits = [], filesLeft = [], statementsLeft = [] } = made ?? {}
  const purchases = freezePurchases(input.purchases, unusableIn(composed))
  const place = placeOf(composed, exhibits, input)
  const places = place === null ? [] : [place]
  const { texts, leftOut } = fillTexts({ composition: composed, client, table, limits, places })
  return {
    summary: summaryOf(composed),
    content: {
      texts,
      textsLeftOut: leftOut,
      ...(purchases !== undefined && { purchases }),
      statements: composed.statements.map((one) => ({
        ...{ id: one.id, kept: one.kept },
        ...(one.text !== undefined && { text: one.text }),
        ...(one.why !== undefined && { why: one.why }),
        exhibits: lettersOf(one, exhibits),
      })),
      exhibits: exhibits.map(({ letter, fileId, kind, caption }) => ({
        ...{ letter, fileId, kind, ...(caption !== null && { caption }) },
      })),
      filesLeft: filesLeft.map(({ fileId, why }) => ({ fileId, why })),
      ...{ requiredMissing: composed.requiredMissing, missing: composed.missing },
      warnings: [
        ...composed.warnings.map(({ message }) => message),
        ...composed.overrideFaults.map(unusedSentence),
        ...statementsLeft.map((id) => `There is no room for the sentence ${id}.`),
        ...(input.limitsAssumed ? [LIMITS_ASSUMED] : []),
      ],
      addresses: addressesIn(JSON.stringify([evidence.sources.map(({ points }) => points), purchases])),
    },
    document: typeof written === 'string' ? written : written.document,
    textCharacters: Object.values(texts).reduce((sum, text) => sum + text.length, 0),
    place,
    dropped: [
      ...filesLeft.filter(({ why }) => why !== IRRELEVANT).map(({ fileId }) => fileId),
      ...leftOut.map(({ field }) => field),
      ...statementsLeft,
      ...cutTables(composed.facts),
    ],
    ...(composed.overrideFaults.length > 0 && { unusedSentences: composed.overrideFaults.map(({ path }) => path) }),
  }
}

/** What compelling evidence compares. */
const COMPARED: readonly FactName[] = ['ip', 'device', 'shipTo', 'account', 'email']

/** Facts that are contradicted, or that the data do not give: an address that is a city alone is none. */
const unusableIn = ({ warnings, facts: known }: Composition) => [
  ...warnings.flatMap(({ code, facts }) => (code === 'contradiction' ? facts : [])),
  ...COMPARED.filter((name) => known[name] === undefined),
]

function placeOf(
  { play, statements }: Composition,
  exhibits: readonly EnclosedFile[],
  { table, limits: { fileFields } }: PackageInput,
): string | null {
  const facts = new Set(statements.filter(({ kept }) => kept).flatMap((one) => one.facts))
  const shown = { play, facts, exhibits: new Set(exhibits.map(({ kind }) => kind)) }
  return table.placesOf?.(shown, fileFields).find((field) => fileFields.includes(field)) ?? null
}

function summaryOf({ play, playbook, completeness, manualOnly, ...composed }: Composition): PackageSummary {
  return {
    ...{ play, playbook, completeness, manualOnly },
    requiredMissing: composed.requiredMissing.length,
    kept: composed.statements.filter((one) => one.kept).map(({ id }) => id),
    contradicted: composed.warnings.some(({ code }) => code === 'contradiction' || code === 'adverse'),
  }
}
