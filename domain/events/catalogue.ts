/** Days that the log keeps events, unless the deployment says otherwise. */
export const EVENT_DAYS = 30

/** Every event that consumers can receive, and whose object it is about. */
export const EVENT_SUBJECTS = {
  'chargeback.created': 'chargeback',
  'chargeback.won': 'chargeback',
  'chargeback.lost': 'chargeback',
  'chargeback.split': 'chargeback',
  'chargeback.reopened': 'chargeback',
  'chargeback.due_soon': 'chargeback',
  'chargeback.updated': 'chargeback',
  'acceptance.created': 'acceptance',
  'acceptance.succeeded': 'acceptance',
  'acceptance.failed': 'acceptance',
  'acceptance.due_soon': 'acceptance',
  'evidence_submission.created': 'evidence_submission',
  'evidence_submission.succeeded': 'evidence_submission',
  'evidence_submission.failed': 'evidence_submission',
  'evidence_submission.due_soon': 'evidence_submission',
  'evidence_submission.updated': 'evidence_submission',
  'alert.created': 'alert',
  'alert.outcome_recorded': 'alert',
  'integration.verified': 'integration',
  'integration.failed': 'integration',
  'integration.deactivated': 'integration',
  'integration.first_load_completed': 'integration',
  'merchant.deactivated': 'merchant',
  'data_subject_removal.completed': 'data_subject_removal',
  'webhook_endpoint.disabled': 'webhook_endpoint',
} as const

export type EventType = keyof typeof EVENT_SUBJECTS
export type EventSubject = (typeof EVENT_SUBJECTS)[EventType]
export const EVENT_TYPES = Object.keys(EVENT_SUBJECTS) as EventType[]

/** What a filter may name: a type, all types of an object (`chargeback.*`), or all (`*`). */
export const EVENT_PATTERNS: readonly string[] = [
  '*',
  ...new Set(EVENT_TYPES.map((type) => `${type.slice(0, type.indexOf('.'))}.*`)),
  ...EVENT_TYPES,
]

/** The types that patterns name, in the order of the catalogue. */
export function matchingTypes(patterns: readonly string[]): EventType[] {
  return EVENT_TYPES.filter((type) =>
    patterns.some((one) => one === '*' || one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1)))),
  )
}
