import type { Status } from '../../../domain/chargeback.ts'
import { decideStatus, type HandlingInput } from '../../../domain/handling.ts'

export const now = new Date('2026-03-10T12:00:00Z')
export const days = (count: number) => new Date(now.getTime() + count * 86_400_000)

export const fresh: HandlingInput = {
  now,
  current: null,
  pspStatus: 'needs_response',
  lifecycleStage: 'chargeback',
  dueDate: days(10),
  postingDate: days(-5),
  enrichmentRatio: 0.2,
  shouldFight: null,
  accepted: false,
  submitted: false,
  outOfScope: null,
  live: { goLiveDate: null, waits: false },
  deactivation: null,
  represent: true,
  threshold: 0.8,
}
/** The decision about a chargeback that is seen for the first time. */
export const seen = (change: Partial<HandlingInput> = {}) => decideStatus({ ...fresh, ...change })
/** The decision about a chargeback that is stored with this status. */
export const stored = (status: Status, change: Partial<HandlingInput> = {}) =>
  seen({
    current: { status, statusReason: 'stored', pspStatus: 'needs_response', lifecycleStage: 'chargeback', round: 1 },
    ...change,
  })
