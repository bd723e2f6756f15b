import { recordAction } from '../db/operator-actions.ts'
import { approveRequest, closeRequest } from '../db/operator-requests.ts'
import { Refusal } from '../db/refusal.ts'
import { inTransaction } from '../db/transaction.ts'
import { type Command, required } from './command.ts'
import { resolveAction } from './jobs.ts'
import { rotateAction } from './keys.ts'
import type { Approvable } from './second-person.ts'

const APPROVABLE: Record<string, Approvable> = { 'job resolve': resolveAction, 'key rotate': rotateAction }

export const approve: Command = {
  summary: 'do what another operator asked for with `job resolve` or `key …`, as the second person',
  argument: 'requestId',
  changes: { reason: 'none' },
  run(context) {
    const requestId = required(context, 'requestId')
    const approvedBy = context.operator()
    return inTransaction(context.db, async (trx) => {
      const { action, subject, parameters, operator, reason } = await approveRequest(trx, requestId, approvedBy)
      const found = APPROVABLE[action]
      if (!found) throw new Refusal('invalid', 'request_unknown', `This version has no action "${action}".`)
      const done = await found.perform(context, trx, { subject, parameters, operator, reason, approvedBy })
      const details = { ...parameters, requestId, requestedBy: operator }
      await recordAction(trx, {
        operator: approvedBy,
        action,
        outcome: 'approved',
        ...{ subject: found.made?.(done) ?? subject, reason, details },
      })
      await closeRequest(trx, requestId)
      return done
    })
  },
}
