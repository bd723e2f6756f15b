import { AsyncLocalStorage } from 'node:async_hooks'
import { Context } from '@temporalio/activity'
import type { Activities } from '../../../workflows/activities/index.ts'
import type { AtFaultPoint, FaultPoint } from './points.ts'

/** An attempt of an activity, with what its decorators have seen of it so far. */
export interface Attempt {
  activity: keyof Activities
  input: Record<string, unknown>
  /**
   * Id of the integration or the chargeback in the input. For a command: id of the chargeback, for a rotation: of the
   * integration, from the first row that the attempt reads. For automatic submissions: of the chargeback whose turn it is.
   */
  about: string
  /** Called methods of the adapter. */
  called: string[]
  /** Number of transactions. */
  transactions: number
  /** A poll has read its list to the end. */
  ended: boolean
  page: {
    /** The page was compared with the stored rows; nothing is written. */
    compared: boolean
    /** Rows not stored yet of a page that the database refused; 0 while no page was refused. */
    left: number
    /** Pages of the list that were read and are not stored yet, oldest first. */
    read: { unchanged: boolean; hasMore: boolean }[]
  }
}

const current = new AsyncLocalStorage<Attempt>()

/** Polls of shards, by their activity context. */
const polls = new WeakMap<Context, Attempt>()

/** The caller's attempt; none in the API and in the relay. Each poll of a shard is a separate attempt. */
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
  about: [input.integrationId, activity === 'buildPackage' && input.chargebackId].find(isId) ?? '',
  called: [],
  transactions: 0,
  ended: false,
  page: { compared: false, left: 0, read: [] },
})

const isId = (one: unknown): one is string => typeof one === 'string'

/** Sets `about` of an attempt from the rows that it reads. */
export function learn(rows: unknown[]): void {
  const attempt = currentAttempt()
  const [row] = rows as { chargebackId?: string; integration_id?: string }[]
  if (attempt?.about !== '' || !row) return
  const { acceptanceId, submitEvidenceId, rotationId } = attempt.input
  if (acceptanceId || submitEvidenceId) attempt.about = row.chargebackId ?? ''
  else if (rotationId) attempt.about = row.integration_id ?? ''
}

/** Calls `at` for a fault point of the caller's attempt. */
export async function pass(at: AtFaultPoint, point: FaultPoint | null): Promise<void> {
  if (point) await at(point, currentAttempt()?.about ?? '')
}

/** First word of the fault points of an attempt that causes the effect at the PSP. */
export const effectOf = ({ activity }: Attempt): 'accept' | 'submit' | null =>
  activity === 'acceptAtPsp' ? 'accept' : activity === 'submitAtPsp' ? 'submit' : null

/** Fault points before and after an attempt. Everything that the attempt does is attributed to it. */
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
