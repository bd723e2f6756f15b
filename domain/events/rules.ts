import type { LifecycleStage } from '../chargeback.ts'
import { isHigherStage } from '../psp-facts.ts'
import { EVENT_SUBJECTS, type EventType } from './catalogue.ts'

/** A timeline row, as far as the rules read it. */
export interface TimelineFact {
  what: string
  before: Readonly<Record<string, unknown>> | null
  after: Readonly<Record<string, unknown>> | null
}

interface Rule {
  type: EventType
  what: string
  /** Absent: always. @param all the rows of the same chargeback and transaction */
  when?(row: TimelineFact, all: readonly TimelineFact[]): boolean
}

const FINAL: readonly unknown[] = ['won', 'lost', 'split', 'not_applicable', 'evidence_not_submitted_by_psp']
const becomes = (status: string) => (row: TimelineFact) => row.after?.pspStatus === status

const isReopened = ({ before, after }: TimelineFact) =>
  FINAL.includes(before?.pspStatus) && after?.pspStatus === 'needs_response'

/** The case went to a higher stage, and the PSP waits for an answer again. */
const isEscalated = ({ before, after }: TimelineFact, all: readonly TimelineFact[]) =>
  isHigherStage(before?.lifecycleStage as LifecycleStage, after?.lifecycleStage as LifecycleStage) &&
  all.some(
    (row) =>
      (row.what === 'pspStatus changed' && row.after?.pspStatus === 'needs_response') ||
      (row.what === 'dueDate changed' && Boolean(row.after?.dueDate)),
  )

const each = (type: EventType, whats: readonly string[]): Rule[] => whats.map((what) => ({ type, what }))

/**
 * The event of each timeline row, the most special first: rows of one chargeback and transaction are one event, with the
 * type of the first rule that one of them fits.
 */
const CHARGEBACK_RULES: readonly Rule[] = [
  { type: 'chargeback.created', what: 'ingested' },
  { type: 'chargeback.won', what: 'pspStatus changed', when: becomes('won') },
  { type: 'chargeback.lost', what: 'pspStatus changed', when: becomes('lost') },
  { type: 'chargeback.split', what: 'pspStatus changed', when: becomes('split') },
  { type: 'chargeback.reopened', what: 'pspStatus changed', when: isReopened },
  { type: 'chargeback.reopened', what: 'lifecycleStage changed', when: isEscalated },
  { type: 'chargeback.due_soon', what: 'due soon' },
  ...each('chargeback.updated', [
    ...['status changed', 'pspStatus changed', 'lifecycleStage changed', 'dueDate changed', 'furtherAnswer changed'],
    ...['amount changed', 'reason changed', 'details changed', 'assessment changed', 'integration changed'],
    ...['data points changed', 'transaction joined', 'transaction changed', 'enriched', 'should-fight decided'],
    ...['personal data erased', 'free text erased', 'not found at the PSP', 'no end was told in time'],
    ...['follows an earlier chargeback', 'continued by a later chargeback'],
    ...['merged into another chargeback', 'merged with another chargeback'],
    ...['evidence package built', 'evidence package refused', 'evidence package erased'],
    ...['automatic submission held', 'automatic submission released', 'automatic submission blocked'],
  ]),
]

/** Rows about a command are events of that command, next to the event of its chargeback. */
const COMMAND_RULES: readonly Rule[] = [
  { type: 'acceptance.created', what: 'acceptance requested' },
  { type: 'acceptance.succeeded', what: 'acceptance succeeded' },
  { type: 'acceptance.failed', what: 'acceptance failed' },
  { type: 'acceptance.due_soon', what: 'acceptance due soon and still open' },
  { type: 'evidence_submission.created', what: 'evidence submission requested' },
  { type: 'evidence_submission.succeeded', what: 'evidence submission succeeded' },
  { type: 'evidence_submission.failed', what: 'evidence submission failed' },
  { type: 'evidence_submission.due_soon', what: 'evidence submission due soon and still open' },
  ...each('evidence_submission.updated', ['evidence planned', 'evidence left out']),
]

/** The outcome of an alert has an event of its own, also where the alert is no chargeback. */
const SILENT: readonly string[] = ['alert outcome recorded']

const COMMAND_ROWS = new Set(COMMAND_RULES.map((rule) => rule.what))

/** Every `what` that a rule knows. */
export const KNOWN_ROWS: ReadonlySet<string> = new Set([
  ...[...CHARGEBACK_RULES, ...COMMAND_RULES].map((rule) => rule.what),
  ...SILENT,
])

export interface RuledEvent<Row> {
  type: EventType
  /** The id of the command; null: the chargeback. */
  commandId: string | null
  rows: Row[]
}

/**
 * The events of one chargeback in one transaction. A row that no rule knows, because a newer version wrote it, updates
 * the chargeback.
 * @param rows in their order
 */
export function eventsOf<Row extends TimelineFact>(rows: readonly Row[]): RuledEvent<Row>[] {
  const told = rows.filter(({ what }) => !SILENT.includes(what))
  const groups = new Map<string | null, Row[]>()
  for (const row of told) {
    const commandId = COMMAND_ROWS.has(row.what) ? commandOf(row) : null
    groups.set(commandId, [...(groups.get(commandId) ?? []), row])
  }
  return [...groups].map(([commandId, own]) => ({ type: typeOf(own, commandId), commandId, rows: own }))
}

const commandOf = ({ after }: TimelineFact) => {
  const id = after?.acceptanceId ?? after?.submitEvidenceId
  return typeof id === 'string' ? id : null
}

function typeOf(rows: readonly TimelineFact[], commandId: string | null): EventType {
  const rules = commandId === null ? CHARGEBACK_RULES : COMMAND_RULES
  const fits = (rule: Rule) => rows.some((row) => row.what === rule.what && (rule.when?.(row, rows) ?? true))
  return rules.find(fits)?.type ?? 'chargeback.updated'
}

/** Whether events of the type are not pushed before the first load of their integration is complete. */
export const isQuietAtFirst = (type: EventType): boolean => EVENT_SUBJECTS[type] === 'chargeback'
