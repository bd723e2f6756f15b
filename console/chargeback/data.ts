import type { Schemas } from '../api/operations.ts'
import { cache } from '../api/use-read.ts'

export type Details = Schemas['ChargebackDetails']
export type Assessed = Schemas['Assessment']

export const EXPAND = 'actions,reasonGroup'

/** Reads that show one chargeback; an act changes all of them, and the queue. */
const ABOUT = ['readChargeback', 'readAssessment', 'readTimeline', 'readDataPoints', 'readAcceptance']

export async function readAgain(id: string): Promise<void> {
  await Promise.all([
    ...ABOUT.map((name) => cache.invalidate(`${name} ${JSON.stringify({ id })}`)),
    cache.invalidate('listChargebacks '),
  ])
}

/** What an act is about: it stops when one of these changed since it was shown. */
const DECIDING = {
  amount: 'the amount',
  currency: 'the currency',
  lifecycleStage: 'the stage',
  pspStatus: 'the status at the PSP',
  dueDate: 'the due date',
} as const

/** What differs between the chargeback as shown and as read now; empty when the act may go on. */
export function changedSince(shown: Details, now: Details): string[] {
  return Object.entries(DECIDING)
    .filter(([name]) => shown[name as keyof typeof DECIDING] !== now[name as keyof typeof DECIDING])
    .map(([, words]) => words)
}
