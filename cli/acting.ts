import { userInfo } from 'node:os'
import type { Database } from '../db/core/connect.ts'
import { inTransaction } from '../db/core/transaction.ts'
import { type ActionOutcome, recordAction } from '../db/merchants/operator-actions.ts'
import { faultOfOperator } from '../domain/accounts/operator.ts'
import { scrub } from '../process/log.ts'
import { type CommandContext, UsageError } from './command.ts'

/** Longest reason, in characters. */
const LONGEST_REASON = 500

/** The subject of an action, for the audit trail. Details contain no secret and no personal data. */
export interface ActedOn {
  subject?: string | undefined
  details?: Record<string, unknown>
}

/** Runs the work as the named operator, in one transaction with its record in the audit trail. */
export function act<Done>(
  context: CommandContext,
  work: (trx: Database) => Promise<Done>,
  about: ActedOn | ((done: Done) => ActedOn),
): Promise<Done> {
  return inTransaction(context.db, async (trx) => {
    const done = await work(trx)
    await record(context, trx, typeof about === 'function' ? about(done) : about)
    return done
  })
}

/** For work with several transactions: call it in the transaction that decides. */
export async function record(
  context: CommandContext,
  trx: Database,
  { subject, details = {} }: ActedOn,
  outcome: ActionOutcome = 'done',
): Promise<void> {
  const { action, operator, reason } = context
  await recordAction(trx, { operator: operator(), action, outcome, subject: subject ?? null, reason, details })
}

/** The operator's name: `--operator`, else RECOUP_OPERATOR, else the user of this machine. @throws UsageError */
export function readOperator(given: string | undefined, variable: string | undefined): string {
  const [source, name] = given !== undefined ? ['--operator', given] : ['RECOUP_OPERATOR', variable ?? userName()]
  const fault = faultOfOperator(name)
  if (fault) throw new UsageError(`${source}: ${fault}`)
  return name
}

/** A user without an entry in the machine's user database has only a number. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid-${process.getuid?.()}`
  }
}

/** One line without secrets, because merchants read some reasons and the audit trail keeps all. @throws UsageError */
export function readReason(given: string | undefined): string | null {
  const reason = given?.trim()
  if (reason === undefined) return null
  if (reason === '' || reason.length > LONGEST_REASON || /\p{C}/u.test(reason))
    throw new UsageError(`--reason must be one line of at most ${LONGEST_REASON} characters`)
  if (scrub(reason) !== reason) throw new UsageError('--reason seems to contain a secret or personal data. Remove it')
  return reason
}
