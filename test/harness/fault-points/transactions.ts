import type { Attempt } from './attempt.ts'
import type { FaultPoint } from './points.ts'
import type { Statement } from './statements.ts'

/** `advanceCursor`: the first statement of a page. */
const PAGE = /^update "integration" set .*"lease_until" = .*"fence" = /
/** Writes the cursor: the page is part of a list. */
const LISTED = /^update "integration" set "cursor" = /
/** `storeChargebacks`, and `writePageAtOnce`. */
const ROWS = /insert into chargeback as c/
/** `writePageAtOnce`: a page without a transaction. */
const AT_ONCE = /^with fence as \( update integration i set cursor = /
/** The ids of the rows: the array of UUIDs that comes first. */
const IDS = /^\{("[0-9a-f-]{36}",?)+\}$/
/** `storePlan`. */
const PLAN = /^update "evidence_submission" set "planned_at"/
/** `requestSubmission`. */
const SUBMITTED = /^insert into "evidence_submission"/
/** `swapSecret`. */
const SWAP = /^update "integration" set "secret_type"/
/** SQLSTATE classes of refused data. */
const REFUSED = /^2[23]/

const has = (sent: readonly Statement[], statement: RegExp) => sent.some(({ text }) => statement.test(text))

const isPage = (sent: readonly Statement[]) => has(sent, PAGE) || has(sent, AT_ONCE)

function rowsOf(sent: readonly Statement[]): number {
  const { parameters = [] } = sent.find(({ text }) => ROWS.test(text)) ?? {}
  const ids = parameters.find((one): one is string => typeof one === 'string' && IDS.test(one))
  return ids?.split(',').length ?? 0
}

function recorded({ activity }: Attempt): 'accept' | 'submit' | null {
  return activity === 'recordAcceptance' ? 'accept' : activity === 'recordSubmission' ? 'submit' : null
}

export function beforeTransaction(attempt: Attempt): FaultPoint | null {
  const first = attempt.transactions++ === 0
  if (attempt.page.compared) {
    attempt.page.compared = false
    return 'poll.before_page'
  }
  if (attempt.activity === 'rotateSecret') return first ? 'rotate.after_check' : null
  if (attempt.activity === 'buildPackage') return 'build.before_store'
  const effect = recorded(attempt)
  return effect && `${effect}.before_record`
}

/** Before a page that one statement stores: it is stored whole or not at all, so these are one point in time. */
export function beforePage(statement: Statement, attempt: Attempt | undefined): FaultPoint[] {
  if (!attempt || !AT_ONCE.test(statement.text)) return []
  attempt.page.compared = false
  return ['poll.before_page', 'poll.during_page']
}

/** After such a page. Without a fenced row it wrote nothing, and a transaction follows. */
export function afterPage(
  statement: Statement,
  rows: readonly unknown[],
  attempt: Attempt | undefined,
): FaultPoint | null {
  const [row] = rows as { fenced?: boolean }[]
  return attempt && AT_ONCE.test(statement.text) && row?.fenced ? afterTransaction([statement], attempt) : null
}

export function beforeCommit(sent: readonly Statement[], attempt: Attempt): FaultPoint | null {
  if (has(sent, PAGE)) return 'poll.during_page'
  if (attempt.activity === 'rotateSecret') return has(sent, SWAP) ? 'rotate.during_swap' : null
  if (attempt.activity === 'buildPackage') return 'build.during_store'
  if (attempt.activity === 'submitAutomatically') return has(sent, SUBMITTED) ? 'automatic.during_request' : null
  const effect = recorded(attempt)
  return effect && `${effect}.during_record`
}

export function afterTransaction(sent: readonly Statement[], attempt: Attempt): FaultPoint | null {
  const { activity, page } = attempt
  if (page.left > 0 && isPage(sent)) {
    // A part without rows quarantines the refused row.
    page.left -= Math.max(1, rowsOf(sent))
    if (page.left > 0) return 'poll.between_halves'
  }
  if (activity === 'ingestPages' && (has(sent, LISTED) || has(sent, AT_ONCE)))
    return hasNext(page.read) ? 'poll.between_pages' : null
  if (activity === 'buildPackage') return 'build.after_store'
  if (activity === 'planEvidence') return has(sent, PLAN) ? 'submit.after_plan' : null
  const effect = recorded(attempt)
  return effect && `${effect}.after_record`
}

/** Removes the page that was just stored, and the unchanged ones before it. @returns whether another one follows */
function hasNext(read: Attempt['page']['read']): boolean {
  const stored = read.findIndex(({ unchanged }) => !unchanged)
  return read.splice(0, stored + 1).at(-1)?.hasMore ?? false
}

/** A refused page is written in halves, down to the row that causes the refusal. */
export function whenRefused(error: unknown, sent: readonly Statement[], { page }: Attempt): FaultPoint | null {
  const code = (error as { code?: unknown } | null)?.code
  const rows = rowsOf(sent)
  if (!isPage(sent) || rows === 0 || typeof code !== 'string' || !REFUSED.test(code)) return null
  if (page.left === 0) page.left = rows
  return rows === 1 ? 'poll.before_aside' : null
}
