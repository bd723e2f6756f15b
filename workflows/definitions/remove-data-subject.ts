import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { RemoveDataSubjectInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

/** Longest pause between looks at what a submission under way still holds, ms. */
const LONGEST_PAUSE_MS = 60 * 60 * 1000

/**
 * Erases a person: first onto the list that keeps them from coming back, then pass after pass until one finds nothing.
 * Who it is stands in the request's row only.
 */
export async function removeDataSubject({ removalId, pace }: RemoveDataSubjectInput): Promise<{ erased: number }> {
  const { listErased, eraseSubject, recordRemoval } = wf.proxyActivities<
    Pick<Activities, 'listErased' | 'eraseSubject' | 'recordRemoval'>
  >(profiles.erasure(pace))
  await listErased({ removalId })
  let erased = 0
  for (let pauseMs = pace.recheckMs; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const { found, held } = await eraseSubject({ removalId })
    erased += found
    wf.setCurrentDetails(`erased ${erased} records; ${held} are held by submissions under way`)
    if (found === 0 && held === 0) break
    if (held > 0) await wf.sleep(Math.max(pauseMs, 1_000))
  }
  await recordRemoval({ removalId })
  return { erased }
}
