import type { Database } from '../db/core/connect.ts'
import { inTransaction } from '../db/core/transaction.ts'
import { requestApproval } from '../db/merchants/operator-requests.ts'
import { secondPersonFor } from '../db/merchants/second-person.ts'
import type { JsonValue } from '../db/schema.ts'
import type { SecondPersonFor } from '../domain/accounts/operator.ts'
import { record } from './acting.ts'
import type { Command, CommandContext } from './command.ts'

export interface ActionToDo {
  subject: string | null
  /** Stored until the approval, without secrets. */
  parameters: Record<string, JsonValue>
}

/** The operator who requested it, and the one who approved it if a second person is needed. */
export interface DoneBy {
  operator: string
  approvedBy?: string
  reason: string
}

export interface Approvable extends Pick<Command, 'summary' | 'argument' | 'options'> {
  for: SecondPersonFor
  /** Has its own transactions, and can be requested again after an interruption. */
  long?: boolean
  read(context: CommandContext): ActionToDo
  /** @returns the row or rows to print */
  perform(context: CommandContext, trx: Database, action: ActionToDo & DoneBy): Promise<object>
  /** Id of what it created, if that is its subject. */
  made?(done: object): string
}

/** The command of an action: it runs at once, or is stored until another operator approves it. */
export function approvable({ read, perform, made, long = false, for: group, ...rest }: Approvable): Command {
  return {
    ...rest,
    changes: { reason: 'required' },
    async run(context) {
      const { subject, parameters } = read(context)
      const by = { operator: context.operator(), reason: context.reason as string }
      const about = { subject: subject ?? undefined, details: parameters }
      const alone = !(await secondPersonFor(context.db)).includes(group)
      if (alone && long) {
        await record(context, context.db, about, 'started')
        return perform(context, context.db, { subject, parameters, ...by })
      }
      return inTransaction(context.db, async (trx) => {
        if (alone) {
          const done = await perform(context, trx, { subject, parameters, ...by })
          await record(context, trx, { ...about, subject: made?.(done) ?? about.subject })
          return done
        }
        const asked = await requestApproval(trx, { action: context.action, subject, parameters, ...by })
        await record(context, trx, { ...about, details: { ...parameters, requestId: asked.requestId } }, 'requested')
        const next = `another operator runs: npm run recoup -- approve ${asked.requestId}`
        return { requested: context.action, ...asked, next }
      })
    },
  }
}
