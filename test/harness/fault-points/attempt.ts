import { AsyncLocalStorage } from 'node:async_hooks'
import { Context } from '@temporalio/activity'
import type { Activities } from '../../../workflows/activities/index.ts'
import type { AtFaultPoint, FaultPoint } from './points.ts'

/** An attempt of an activity, with what its decorators have seen of it so far. */
export interface Attempt {
  activity: keyof Activities
  input: Record<string, unknown>
  /**
   * Id of the integration, which the input names; of a command the chargeback and of a replacement the integration,
   * which the first row names that the attempt reads.
   */
  about: string
  /** Methods of the adapter that were called. */
  called: string[]
  /** Transactions that were begun. */
  transactions: number
  page: {
    /** It was compared with what is stored; nothing is written. */
    compared: boolean
    /** Rows of a page that the database refuses and that are not stored yet; 0 while none was refused. */
    left: number
    /** Pages of the list that were read and are not stored yet, first read first. */
    read: { unchanged: boolean; hasMore: boolean }[]
  }
}

const current = new AsyncLocalStorage<Attempt>()

/** Polls of shards, by the context that each has. */
const polls = new WeakMap<Context, Attempt>()

/** The attempt that the caller works for; none in the API and in the relay. A shard's polls are attempts of their own. */
export function currentAttempt(): Attempt | undefined {
  const attempt = current.getStore()
  if (attempt?.activity !== 'pollDue') return attempt
  const context = Context.current()
  const { activityType, activityId } = context.info
  if (activityType !== 'ingestPages') return attempt
  const known = polls.get(context) ?? newAttempt('ingestPages', { integrationId: activityId.split(':').at(-1) })
  polls.set(context, known)
  return known
}

const newAttempt = (activity: keyof Activities, input: Record<string, unknown>): Attempt => ({
  activity,
  input,
  about: typeof input.integrationId === 'string' ? input.integrationId : '',
  called: [],
  transactions: 0,
  page: { compared: false, left: 0, read: [] },
})

/** Learns from the rows that an attempt reads what it is about. */
export function learn(rows: unknown[]): void {
  const attempt = currentAttempt()
  const [row] = rows as { chargebackId?: string; integration_id?: string }[]
  if (attempt?.about !== '' || !row) return
  const { acceptanceId, submitEvidenceId, rotationId } = attempt.input
  if (acceptanceId || submitEvidenceId) attempt.about = row.chargebackId ?? ''
  else if (rotationId) attempt.about = row.integration_id ?? ''
}

/** Passes a fault point of the caller's attempt. */
export async function pass(at: AtFaultPoint, point: FaultPoint | null): Promise<void> {
  if (point) await at(point, currentAttempt()?.about ?? '')
}

/** Of an attempt that makes the effect at the PSP: first word of its fault points. */
export const effectOf = ({ activity }: Attempt): 'accept' | 'submit' | null =>
  activity === 'acceptAtPsp' ? 'accept' : activity === 'submitAtPsp' ? 'submit' : null

/** Fault points before and after an attempt. Everything that it does is known to be its own. */
export function watchActivities(activities: Activities, at: AtFaultPoint): Activities {
  const watched = Object.entries(activities).map(([activity, work]) => {
    const attempted = (given?: Record<string, unknown>) => {
      const attempt = newAttempt(activity as keyof Activities, given ?? {})
      return current.run(attempt, async () => {
        if (activity === 'reevaluateSlice') await pass(at, 'scope.before_slice')
        const result = await (work as (input: unknown) => Promise<unknown>)(given)
        if (activity === 'rotateSecret') await pass(at, 'rotate.after_end')
        return result
      })
    }
    return [activity, attempted]
  })
  return Object.fromEntries(watched) as Activities
}
