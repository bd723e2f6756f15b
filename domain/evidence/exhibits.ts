import type { ComposedStatement } from './compose.ts'
import type { ExhibitKind } from './fact-catalogue.ts'
import type { PlayId } from './playbooks/playbook.ts'

/** A file that may be enclosed. */
export interface ExhibitFile {
  fileId: string
  kind: ExhibitKind
  of: 'chargeback' | 'transaction' | 'merchant'
}

export type Exhibit<File extends ExhibitFile> = File & { letter: string }

export interface ChosenExhibits<File extends ExhibitFile> {
  exhibits: Exhibit<File>[]
  /** Files that are not enclosed, and why. */
  left: (File & { why: string })[]
}

/** Letters end long before Z. The first file of each kind always has one, because sentences say that it is enclosed. */
const MOST_EXHIBITS = 20
const ALONE = 'correspondence alone does not prove who paid: add what shows the order, the delivery or the use'
/** Reason for not enclosing a file of the merchant's. It is no loss, so the timeline does not list the file. */
export const IRRELEVANT = 'no sentence refers to its kind'
const NEAREST: readonly ExhibitFile['of'][] = ['chargeback', 'transaction', 'merchant']

/**
 * Files with letters, those of the weightiest sentences first. A file for all chargebacks of the merchant is enclosed
 * only if a sentence refers to its kind: a return policy says nothing about a parcel that did not arrive. Messages that no
 * sentence refers to are not enclosed alone against a claim of fraud: who wrote them need not be the cardholder.
 * @param files newest first
 */
export function chooseExhibits<File extends ExhibitFile>(
  files: readonly File[],
  { play, statements }: { play: PlayId; statements: readonly ComposedStatement[] },
): ChosenExhibits<File> {
  const kept = statements.filter((one) => one.kept)
  const rank = new Map<ExhibitKind, { weight: number; at: number }>()
  // Of one sentence's kinds the best comes first.
  for (const [at, { weight, exhibits }] of kept.entries())
    for (const [place, kind] of exhibits.entries())
      if (weight > (rank.get(kind)?.weight ?? 0)) rank.set(kind, { weight, at: at + place / 100 })
  const order = (one: File, other: File) => {
    const [a, b] = [one, other].map(({ kind }) => rank.get(kind) ?? { weight: 0, at: kept.length })
    if (!a || !b) return 0
    return b.weight - a.weight || a.at - b.at || NEAREST.indexOf(one.of) - NEAREST.indexOf(other.of)
  }
  const related = files.filter(({ of, kind }) => of !== 'merchant' || rank.has(kind)).sort(order)
  const isIdle = ({ kind }: File) => kind === 'communication' && !rank.has(kind)
  const alone = play === 'fraud_cnp' && related.every(isIdle) ? related : []
  const fitting = related.filter((one) => !alone.includes(one))
  const firsts = new Set([...new Map(fitting.toReversed().map((one) => [one.kind, one])).values()])
  const others = fitting.filter((one) => !firsts.has(one))
  const chosen = new Set([...firsts, ...others.slice(0, MOST_EXHIBITS - firsts.size)])
  const whyOf = (one: File) => {
    if (alone.includes(one)) return ALONE
    return fitting.includes(one) ? 'too many files' : IRRELEVANT
  }
  return {
    exhibits: fitting
      .filter((one) => chosen.has(one))
      .map((one, index) => ({ ...one, letter: String.fromCharCode(65 + index) })),
    left: files.filter((one) => !chosen.has(one)).map((one) => ({ ...one, why: whyOf(one) })),
  }
}

/** Letters of the files that show a sentence. */
export const lettersOf = (
  { exhibits: kinds }: Pick<ComposedStatement, 'exhibits'>,
  exhibits: readonly Exhibit<ExhibitFile>[],
): string[] => exhibits.filter(({ kind }) => kinds.includes(kind)).map(({ letter }) => letter)
