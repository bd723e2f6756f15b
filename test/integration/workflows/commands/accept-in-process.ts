import { ApplicationFailure } from '@temporalio/common'
import { readTimeline } from '../../../../db/chargebacks/timeline.ts'
import { jobOperations } from '../../../../db/commands/jobs.ts'
import { toFailure } from '../../../../workflows/activities/failures.ts'
import { type AdapterName, requestOf } from '../../../faults/ground/psps.ts'
import type { Scene } from './submission-scene.ts'

/** Requests an acceptance of an open dispute; `before` runs at the PSP before the worker's first attempt. */
export async function accept(scene: Scene, id: string, before: () => Promise<unknown>, rest?: () => Promise<unknown>) {
  const { db, merchantUuid, call } = scene.stage
  const { status } = await call('POST', `/v1/chargebacks/${id}/accept`)
  if (status !== 200) throw new Error(`refused with ${status}`)
  const { command_id: acceptanceId } = await db
    .selectFrom('command')
    .select('command_id')
    .where('chargeback_id', '=', id)
    .executeTakeFirstOrThrow()
  await before()
  await scene.engine.subscriptions.idle()
  const calls = scene.engine.ledger.calls.length
  const error = await attempts(scene, acceptanceId, rest)
  const command = await db
    .selectFrom('command')
    .selectAll()
    .where('command_id', '=', acceptanceId)
    .executeTakeFirstOrThrow()
  const [operation] = await jobOperations(db, acceptanceId)
  const timeline = await readTimeline(db, { merchantUuid, chargebackId: id })
  return { command, operation, timeline, error, calls: scene.engine.ledger.calls.slice(calls) }
}

const ATTEMPTS = 6

/**
 * Like the workflow: a definite refusal ends it, other errors are retried after `rest`. @returns the error message of
 * the last attempt if it stays open
 */
async function attempts(scene: Scene, acceptanceId: string, rest = async (): Promise<unknown> => undefined) {
  for (let attempt = 1; ; attempt++) {
    try {
      await scene.run(scene.activities.acceptAtPsp, { acceptanceId })
      await scene.run(scene.activities.recordAcceptance, { acceptanceId })
      return null
    } catch (error) {
      const failure = toFailure(error)
      if (failure instanceof ApplicationFailure && failure.nonRetryable) {
        const { type, message } = failure
        await scene.run(scene.activities.recordRefusal, { commandId: acceptanceId, kind: type ?? '', message })
        return null
      }
      if (attempt === ATTEMPTS) return String((failure as Error).message)
      await rest()
      await scene.engine.subscriptions.idle()
    }
  }
}

/** The requests to accept among these calls. */
export const acceptCalls = (source: string, calls: Scene['engine']['ledger']['calls'], ref: string) => {
  const path = requestOf(source as AdapterName, 'accept', ref)?.path ?? ''
  return calls.filter((call) => call.method !== 'GET' && call.path.endsWith(path))
}
