import type { ExhibitKind, FactName } from '../fact-catalogue.ts'
import type { PlayId } from '../playbooks/playbook.ts'

/** What fills a text field. A source without a value leaves the field to the next one. */
export type TextSource =
  /** The case in short: all sentences that were kept, up to so many characters. */
  | { summary: number }
  /** The kept sentences that use one of these facts. */
  | { sentencesWith: readonly FactName[]; most: number }
  | FactSource
  /** Identifiers: whole ones, separated by commas; at most `count`, each of at most `each` characters. */
  | { ids: FactName; count?: number; each?: number }
  /** A log with one entry per line. A long one is cut to its first and last entry and those nearest the cancellation, else the purchase. */
  | { log: FactName; most: number }

export interface FactSource {
  fact: FactName
  /** Characters of a long text; a client's own text that is named like the field has the PSP's limit. */
  most?: number
  /** A fact that must be known, too. */
  only?: FactName
  /** Whether the PSP's own record is left out, because the PSP fills the field with it. */
  clientOnly?: true
  /** Dates as 2026-03-06T11:42:00Z, for fields that the PSP parses. */
  iso?: true
}

/** Text field of a PSP → what fills it, best first. The most important field comes first. */
export type FieldTable<Field extends string = string> = Readonly<Partial<Record<Field, readonly TextSource[]>>>

/** What the PDF of a package says and encloses. */
export interface Shown {
  play: PlayId
  /** Facts of the statements that are said. */
  facts: ReadonlySet<FactName>
  exhibits: ReadonlySet<ExhibitKind>
}

/** How an adapter fills its PSP's text fields, and names the PDF that goes with them. */
export interface TextTable {
  fields: FieldTable
  /**
   * Pure: texts that the PSP would refuse, with the reason.
   * @param places fields of the documents that are sent with them
   */
  refused?(texts: Readonly<Record<string, string>>, places: readonly string[]): Iterable<readonly [string, string]>
  /**
   * Pure: fields that say what the PDF is, best first. Absent, or if the dispute takes none of them: the PSP's field for
   * documents of any kind.
   * @param free fields for files of this dispute
   */
  placesOf?(shown: Shown, free: readonly string[]): readonly string[]
}
