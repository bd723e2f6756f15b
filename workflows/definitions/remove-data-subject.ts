import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { RemoveDataSubjectInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

/** Longest pause between checks of rows held by open submissions, ms. */
const LONGEST_PAUSE_MS = 60 * 60 * 1000

/**
 * Erases a person: first adds them to the list that blocks re-ingestion, then repeats passes until one finds nothing.
 * Only the request's row names the person.
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
    wf.setCurrentDetails(`erased ${erased} records; ${held} are held by submissions in progress`)
    if (found === 0 && held === 0) break
    if (held > 0) await wf.sleep(Math.max(pauseMs, 1_000))
  }
  await recordRemoval({ removalId })
  return { erased }
}
