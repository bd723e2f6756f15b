import { CallFailure } from '../api/failure.ts'
import { useRead } from '../api/use-read.ts'
import { useWho } from '../app/who.ts'
import { type Draft, hasPackage, type Told } from './data.ts'

const EVERY_MS = 10_000

interface Found {
  draft: Draft | undefined
  failure: Error | undefined
  again: () => Promise<void>
}

/** The latest built evidence. It is asked for only once the timeline reports one. */
export function useDraft(id: string, events: readonly Told[]): Found {
  const { merchant } = useWho()
  const exists = hasPackage(events)
  const { data, failure, again } = useRead('readEvidenceDraft', { params: { id }, merchant }, EVERY_MS, exists)
  // A new round has none yet.
  const isNone = failure instanceof CallFailure && failure.code === 'draft_not_ready'
  return { draft: exists && !isNone ? data : undefined, failure: isNone ? undefined : failure, again }
}
