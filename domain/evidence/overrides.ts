import { z } from 'zod'
import type { PlaybookFault } from './check-playbooks.ts'
import { EXHIBIT_KINDS, type ExhibitKind, type FactName, isFactName } from './fact-catalogue.ts'
import type { OverlayId, Playbook, PlayId, Statement } from './playbooks/playbook.ts'
import { parseSentence } from './templates.ts'

/** An account's own sentences for one play, as stored. */
export interface StoredOverride {
  version: number
  /** `{statements: [...]}`; read again at each use, because a later version of Recoup may know it no more. */
  body: unknown
}
export type Overrides = Readonly<Partial<Record<PlayId | OverlayId, StoredOverride>>>

/** Most facts of a sentence that may be missing: it is checked with each choice of them. */
const MOST_OPTIONAL = 8
const LONGEST_TEXT = 1_000
export const MOST_STATEMENTS = 40

/** What was given, short enough for an error. */
const shown = (given: unknown) => JSON.stringify(given)?.slice(0, 60)
const fact = z.custom<FactName>((given) => typeof given === 'string' && isFactName(given), {
  error: ({ input }) => `Unknown fact ${shown(input)}.`,
})
const kind = z.custom<ExhibitKind>((given) => EXHIBIT_KINDS.includes(given as ExhibitKind), {
  error: ({ input }) => `Unknown kind of file ${shown(input)}: use one of ${EXHIBIT_KINDS.join(', ')}.`,
})
const id = z.string().regex(/^[a-z][a-z0-9_]{0,59}$/, 'Use at most 60 of a-z, 0-9 and _, a letter first.')

const replacement: z.ZodType<Statement> = z.strictObject({
  id,
  text: z.string().max(LONGEST_TEXT, `Longer than ${LONGEST_TEXT} characters.`),
  optional: z.array(fact).max(MOST_OPTIONAL, `More than ${MOST_OPTIONAL} facts.`).exactOptional(),
  weight: z.literal([1, 2, 3], 'Must be 1, 2 or 3.'),
  exhibits: z.array(kind).max(EXHIBIT_KINDS.length).exactOptional(),
  needsExhibit: z.literal(true, 'Must be true, or absent.').exactOptional(),
  unless: z.array(fact).max(20).exactOptional(),
  unlessExhibit: z.array(kind).max(EXHIBIT_KINDS.length).exactOptional(),
  inCaseTable: z.literal(true, 'Must be true, or absent.').exactOptional(),
})
const leftOut = z.strictObject({ id, off: z.literal(true, 'Must be true, or absent.') })
type LeftOut = z.infer<typeof leftOut>

/** One entry of an override: a sentence, or the id of one to leave out. */
export function readEntry(entry: unknown): z.ZodSafeParseResult<Statement | LeftOut> {
  return typeof entry === 'object' && entry !== null && 'off' in entry
    ? leftOut.safeParse(entry)
    : replacement.safeParse(entry)
}

export interface EffectiveStatement {
  statement: Statement
  /** `off`: Recoup's, left out by the account. */
  from: 'default' | 'account' | 'off'
  /** Recoup's sentence in place of the account's, if that can't be written. */
  instead?: Statement
}

export interface EffectivePlaybook<Id extends string = PlayId | OverlayId> {
  id: Id
  version: number
  /** Version of the account's sentences; null if there are none. */
  override: number | null
  statements: EffectiveStatement[]
  /** Stored sentences that this version of Recoup can't use. */
  faults: PlaybookFault[]
}

/**
 * Recoup's sentences with the account's: one with a known id replaces it in its place, others come last. A stored
 * sentence that is no longer valid leaves Recoup's own.
 */
export function effectivePlaybook<Id extends PlayId | OverlayId>(
  { id, version, statements }: Playbook<Id>,
  stored: StoredOverride | undefined,
): EffectivePlaybook<Id> {
  const entries = entriesOf(stored?.body)
  const faults: PlaybookFault[] = []
  const own = new Map<string, Statement | LeftOut>()
  for (const [index, entry] of entries.entries()) {
    const read = readStored(entry)
    if (typeof read === 'object') own.set(read.id, read)
    else faults.push({ path: `${id}.${nameOf(entry) ?? index}`, message: read })
  }
  const merged = statements.map((statement): EffectiveStatement => {
    const change = own.get(statement.id)
    own.delete(statement.id)
    if (!change) return { statement, from: 'default' }
    return 'off' in change ? { statement, from: 'off' } : { statement: change, from: 'account', instead: statement }
  })
  for (const change of own.values())
    if ('off' in change) faults.push({ path: `${id}.${change.id}`, message: NOTHING_TO_LEAVE_OUT })
    else merged.push({ statement: change, from: 'account' })
  return { id, version, override: entries.length > 0 ? (stored?.version ?? null) : null, statements: merged, faults }
}

/** Says which of the account's own sentences can't be used and why, for operators and clients. */
export const unusedSentence = ({ path, message }: PlaybookFault): string =>
  `${path}: ${message} The account's sentence is not used.`

export const NOTHING_TO_LEAVE_OUT = 'Recoup has no sentence of this id to leave out.'

/** Entries of a body; none of one that is malformed. */
export function entriesOf(body: unknown): unknown[] {
  const { statements } = (body ?? {}) as { statements?: unknown }
  return Array.isArray(statements) ? statements : []
}

/** The id that an entry claims. */
export function nameOf(entry: unknown): string | undefined {
  const { id: name } = (entry ?? {}) as { id?: unknown }
  return typeof name === 'string' ? name : undefined
}

/** The entry, or why it can't be used. */
function readStored(entry: unknown): Statement | LeftOut | string {
  const read = readEntry(entry)
  if (!read.success) return read.error.issues[0]?.message ?? 'It is malformed.'
  try {
    if ('text' in read.data) parseSentence(read.data.text, read.data.optional)
    return read.data
  } catch (error) {
    return (error as Error).message
  }
}
