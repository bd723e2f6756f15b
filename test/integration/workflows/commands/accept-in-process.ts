import { ApplicationFailure } from '@temporalio/common'
import { readTimeline } from '../../../../db/chargebacks/timeline.ts'
import { jobOperations } from '../../../../db/commands/jobs.ts'
import { toFailure } from '../../../../workflows/activities/failures.ts'
import { type AdapterName, requestOf } from '../../../faults/testbed/psps.ts'
import type { Fixture } from './submission-fixture.ts'

/** Requests an acceptance of an open dispute; `before` runs at the PSP before the worker's first attempt. */
export async function accept(
  fixture: Fixture,
  id: string,
  before: () => Promise<unknown>,
  rest?: () => Promise<unknown>,
) {
  const { db, merchantUuid, call } = fixture.stage
  const { status } = await call('POST', `/v1/chargebacks/${id}/accept`)
  if (status !== 200) throw new Error(`refused with ${status}`)
  const { command_id: acceptanceId } = await db
    .selectFrom('command')
    .select('command_id')
    .where('chargeback_id', '=', id)
    .executeTakeFirstOrThrow()
  await before()
  await fixture.engine.subscriptions.idle()
  const calls = fixture.engine.ledger.calls.length
  const error = await attempts(fixture, acceptanceId, rest)
  const command = await db
    .selectFrom('command')
    .selectAll()
    .where('command_id', '=', acceptanceId)
    .executeTakeFirstOrThrow()
  const [operation] = await jobOperations(db, acceptanceId)
  const timeline = await readTimeline(db, { merchantUuid, chargebackId: id })
  return { command, operation, timeline, error, calls: fixture.engine.ledger.calls.slice(calls) }
}

const ATTEMPTS = 6

/**
 * Like the workflow: a definite refusal ends it, other errors are retried after `rest`. @returns the error message of
 * the last attempt if it stays open
 */
async function attempts(fixture: Fixture, acceptanceId: string, rest = async (): Promise<unknown> => undefined) {
  for (let attempt = 1; ; attempt++) {
    try {
      await fixture.run(fixture.activities.acceptAtPsp, { acceptanceId })
      await fixture.run(fixture.activities.recordAcceptance, { acceptanceId })
      return null
    } catch (error) {
      const failure = toFailure(error)
      if (failure instanceof ApplicationFailure && failure.nonRetryable) {
        const { type, message } = failure
        await fixture.run(fixture.activities.recordRefusal, { commandId: acceptanceId, kind: type ?? '', message })
        return null
      }
      if (attempt === ATTEMPTS) return String((failure as Error).message)
      await rest()
      await fixture.engine.subscriptions.idle()
    }
  }
}

/** The requests to accept among these calls. */
export const acceptCalls = (source: string, calls: Fixture['engine']['ledger']['calls'], ref: string) => {
  const path = requestOf(source as AdapterName, 'accept', ref)?.path ?? ''
  return calls.filter((call) => call.method !== 'GET' && call.path.endsWith(path))
}
