import type { Exhibit, ExhibitFile } from '../exhibits.ts'
import type { ExhibitKind } from '../fact-catalogue.ts'
import type { Highlight } from '../file-metadata.ts'
import { cell } from './tables.ts'

/** An uploaded file with the client's words and frames. */
export interface EnclosedFile extends ExhibitFile {
  caption: string | null
  highlights: readonly Highlight[]
}

/** What is printed around the pages of a file. */
export interface DocumentExhibit {
  letter: string
  /** The kind of file. */
  title: string
  /** The client's words; empty if there are none. */
  caption: string
  /** The statements that it shows; empty if there are none. */
  shows: string
  highlights: readonly Highlight[]
}

const TITLES: Readonly<Record<ExhibitKind, string>> = {
  receipt: 'Receipt',
  delivery: 'Proof of delivery',
  signature: 'Signature',
  communication: 'Correspondence with the customer',
  policy: 'Policy',
  terms: 'Terms',
  checkout: 'Checkout page',
  usage: 'Usage log',
  refund: 'Proof of the refund',
  contract: 'Contract',
  photo: 'Photograph',
  other: 'Document',
}

/** @param printed the statements with the letters of their exhibits, in the order of their numbers */
export const documentExhibits = (
  exhibits: readonly Exhibit<EnclosedFile>[],
  printed: readonly { letters: readonly string[] }[],
): DocumentExhibit[] =>
  exhibits.map(({ letter, kind, caption, highlights }) => ({
    ...{ letter, title: TITLES[kind], caption: caption === null ? '' : cell(caption), highlights },
    shows: enclosedFor(printed.flatMap(({ letters }, index) => (letters.includes(letter) ? [`${index + 1}`] : []))),
  }))

/** What a file is there for; empty for no statement. Nobody has compared what it shows with the statement. */
const enclosedFor = (numbers: readonly string[]): string =>
  numbers.length === 0 ? '' : `Enclosed for ${statementsOf(numbers)}.`

/** What a table of the same facts shows; empty for no statement. */
export const showsOf = (numbers: readonly string[]): string =>
  numbers.length === 0 ? '' : `Shows ${statementsOf(numbers)}.`

const statementsOf = (numbers: readonly string[]) =>
  `statement${numbers.length === 1 ? '' : 's'}\u00a0${listed(numbers).replaceAll(' ', '\u00a0')}`

/** Follows a statement: where its files are. */
export const see = (letters: readonly string[]): string =>
  // A letter stays in the line of its word.
  `See Exhibit${letters.length === 1 ? '' : 's'}\u00a0${listed(letters).replaceAll(' ', '\u00a0')}.`

/** A client's words may end without a full stop. */
export const ended = (text: string): string =>
  /[.!?…。！？][)\]"“”‘’»«」』）\u2069]*$/u.test(text) ? text : `${text}.`

/** `1, 2 and 3` */
export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
