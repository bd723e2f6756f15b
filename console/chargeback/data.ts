import { call } from '../api/call.ts'
import type { Schemas } from '../api/operations.ts'
import { cache } from '../api/use-read.ts'
import type { Me } from '../app/who.ts'
import { clock } from '../parts/when.tsx'

export type Details = Schemas['ChargebackDetails']
export type Assessed = Schemas['Assessment']
export type Draft = Schemas['EvidenceDraft']
export type Told = Schemas['TimelineEvent']

/** Reads that show one chargeback; an act changes all of them, and the queue. */
const ABOUT = [
  ...['readChargeback', 'readAssessment', 'readTimeline', 'readDataPoints', 'readAcceptance'],
  ...['readEvidenceDraft', 'listEvidenceSubmissions'],
]

export async function readAgain(id: string): Promise<void> {
  await Promise.all([
    ...ABOUT.map((name) => cache.invalidate(`${name} ${JSON.stringify({ id })}`)),
    cache.invalidate('listChargebacks '),
  ])
}

/** Whether the timeline reports a built package: reading one that was never built would be refused. */
export function hasPackage(events: readonly Told[]): boolean {
  const last = events.findLast(({ what }) => what.startsWith('evidence package '))
  return last !== undefined && last.what !== 'evidence package erased'
}

export const SUBMISSION_REQUESTED = 'evidence submission requested'
export const ACCEPTANCE_REQUESTED = 'acceptance requested'

/** Who requested it: a name, or Recoup by the policy. */
export const requestedBy = ({ by, source }: Told): string => by ?? (source === 'automation' ? 'the policy' : '')

/**
 * The latest request of the current round. Once the PSP asks again, a new round begins, and earlier requests are only in the
 * timeline. `building_evidence` → `waiting_for_data` begins no round: data was erased.
 */
export function requestOf(events: readonly Told[], what: string): Told | undefined {
  const asked = events.findLastIndex(
    ({ before, after }) => after?.status === 'waiting_for_data' && before?.status !== 'building_evidence',
  )
  return events.slice(asked + 1).findLast((event) => event.what === what)
}

interface Asked {
  id: string
  merchant: string | undefined
  me: Me
  /** It was there before this person's confirmation. */
  isLate: boolean
}

/** Who requested it first, when this person did not: of several requests one counts. */
export async function firstOf(what: string, { id, merchant, me, isLate }: Asked): Promise<string | undefined> {
  // The page shows it anyway, as soon as the timeline can be read.
  const told = await call('readTimeline', { params: { id }, merchant }).catch(() => null)
  const first = told?.data.findLast((event) => event.what === what)
  if (!first || (!isLate && first.after?.credentialId === me.credentialId)) return undefined
  return `It was requested already, by ${requestedBy(first) || 'somebody else'} at ${clock(first.when)}. Yours changed nothing.`
}
