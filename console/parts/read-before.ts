import { request } from '../api/call.ts'
import type { Schemas } from '../api/operations.ts'

/** What a case shows besides the chargeback itself. */
export const EXPAND = 'actions,reasonGroup'

/** What an act is about: it stops when one of these changed since it was shown. */
const DECIDING = {
  amount: 'the amount',
  currency: 'the currency',
  lifecycleStage: 'the stage',
  pspStatus: 'the status at the PSP',
  dueDate: 'the due date',
} as const

/** A chargeback as a list or a case shows it. */
export type Shown = Pick<Schemas['Chargeback'], 'id' | keyof typeof DECIDING>

/** What differs between the chargeback as shown and as read now; empty when the act may go on. */
export function changedSince(shown: Shown, now: Shown): string[] {
  return Object.entries(DECIDING)
    .filter(([name]) => shown[name as keyof typeof DECIDING] !== now[name as keyof typeof DECIDING])
    .map(([, words]) => words)
}

/** For 412: it changed between this reading and the act. */
export const CHANGED = 'It changed while you confirmed, so nothing was done. Look at it again.'

/** Codes of acts that are refused because they were requested already. */
const REQUESTED = ['acceptance_exists', 'evidence_submission_exists']

/**
 * Reads the chargeback again before an act.
 * @param isRepeated whether a try before may have arrived: if it has, it may itself be what changed the chargeback
 * @returns it, and the entity tag that the act sends
 * @throws Error when it differs from what was shown; CallFailure
 */
export async function readBefore(
  shown: Shown,
  merchant: string | undefined,
  isRepeated = false,
): Promise<{ now: Schemas['ChargebackDetails']; tag: string }> {
  const options = { params: { id: shown.id }, query: { expand: EXPAND }, merchant }
  const response = await request('readChargeback', options)
  const { data: now } = (await response.json()) as Schemas['ChargebackRead']
  const hasArrived = isRepeated && Object.values(now.actions ?? {}).some(({ code = '' }) => REQUESTED.includes(code))
  const changed = hasArrived ? [] : changedSince(shown, now)
  if (changed.length > 0) throw new Error(`It changed meanwhile: ${changed.join(', ')}. Look at it again.`)
  return { now, tag: response.headers.get('etag') ?? '' }
}
