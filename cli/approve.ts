import { Refusal } from '../db/core/refusal.ts'
import { inTransaction } from '../db/core/transaction.ts'
import { recordAction } from '../db/merchants/operator-actions.ts'
import { approveRequest, closeRequest } from '../db/merchants/operator-requests.ts'
import { type Command, required } from './command.ts'
import { resolveAction } from './jobs.ts'
import { resealAction, rotateAction } from './keys.ts'
import type { Approvable } from './second-person.ts'

const APPROVABLE: Record<string, Approvable> = {
  'job resolve': resolveAction,
  'key rotate': rotateAction,
  'key reseal': resealAction,
}

export const approve: Command = {
  summary: 'approve, as the second person, what another operator requested with `job resolve` or `key …`',
  argument: 'requestId',
  changes: { reason: 'none' },
  async run(context) {
    const requestId = required(context, 'requestId')
    const approvedBy = context.operator()
    const { found, todo, done } = await inTransaction(context.db, async (trx) => {
      const { action, again, ...asked } = await approveRequest(trx, requestId, approvedBy)
      const found = APPROVABLE[action]
      if (!found)
        throw new Refusal('invalid', 'request_unknown', `This version does not support the action "${action}".`)
      const todo = { ...asked, approvedBy }
      const done = found.long ? null : await found.perform(context, trx, todo)
      const details = { ...asked.parameters, requestId, requestedBy: asked.operator }
      const subject = (done && found.made?.(done)) ?? asked.subject
      if (!again)
        await recordAction(trx, {
          ...{ operator: approvedBy, action, outcome: 'approved', subject, reason: asked.reason, details },
        })
      if (done) await closeRequest(trx, requestId)
      return { found, todo, done }
    })
    if (done) return done
    const late = await found.perform(context, context.db, todo)
    await closeRequest(context.db, requestId)
    return late
  },
}
