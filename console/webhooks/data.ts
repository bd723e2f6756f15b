import type { Schemas } from '../api/operations.ts'
import { cache } from '../api/use-read.ts'
import type { SignOf } from '../parts/sign.tsx'

export type Endpoint = Schemas['WebhookEndpoint']
export type Delivery = Schemas['WebhookDelivery']
export type Pattern = Schemas['WebhookEndpointCreation']['events'][number]
export type EventName = Exclude<Pattern, `${string}*`>

export const WEBHOOKS = '/console/webhooks'
export const EVERY_MS = 10_000

const ABOUT = ['listWebhookEndpoints ', 'readWebhookEndpoint ', 'listWebhookDeliveries ']

/** Reads again what an act changes. */
export async function readAgain(): Promise<void> {
  await Promise.all(ABOUT.map((prefix) => cache.invalidate(prefix)))
}

/** What each event tells, by its object. A type that the API gains and this lacks does not compile. */
export const EVENTS: Record<EventName, string> = {
  'chargeback.created': 'a chargeback arrived',
  'chargeback.due_soon': 'the answer is due soon',
  'chargeback.won': 'won',
  'chargeback.lost': 'lost',
  'chargeback.split': 'decided in part',
  'chargeback.reopened': 'open again',
  'chargeback.updated': 'anything else about it changed',
  'acceptance.created': 'requested',
  'acceptance.succeeded': 'the PSP confirmed it',
  'acceptance.failed': 'failed',
  'acceptance.due_soon': 'due soon and not confirmed',
  'evidence_submission.created': 'requested',
  'evidence_submission.succeeded': 'the PSP confirmed it',
  'evidence_submission.failed': 'failed',
  'evidence_submission.due_soon': 'due soon and not confirmed',
  'evidence_submission.updated': 'changed',
  'alert.created': 'an alert arrived',
  'alert.outcome_recorded': 'its outcome was recorded',
  'integration.verified': 'the PSP accepts the key',
  'integration.failed': 'the PSP refuses the key',
  'integration.deactivated': 'deactivated',
  'integration.first_load_completed': 'all earlier chargebacks are read',
  'merchant.deactivated': 'deactivated',
  'data_subject_removal.completed': 'a person is erased',
  'webhook_endpoint.disabled': 'another endpoint was disabled',
}

/** `evidence_submission` → `Evidence submission`. */
export const objectWords = (object: string) => {
  const words = object.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Event types by object, in the order above. */
export const OBJECTS: readonly (readonly [object: string, types: readonly EventName[]])[] = [
  ...(Object.keys(EVENTS) as EventName[]).reduce((groups, type) => {
    const object = type.slice(0, type.indexOf('.'))
    return groups.set(object, [...(groups.get(object) ?? []), type])
  }, new Map<string, EventName[]>()),
]

/** Whether a set of patterns sends a type. */
export const sends = (patterns: readonly string[], type: string): boolean =>
  patterns.some((one) => one === '*' || one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))))

const allOf = (object: string) => `${object}.*` as Pattern
const typesOf = (object: string) => OBJECTS.find(([name]) => name === object)?.[1] ?? []

/** The shortest patterns for a set of types: all of an object are `object.*`, everything is `*`. */
export function patternsOf(types: ReadonlySet<string>): Pattern[] {
  const patterns = OBJECTS.flatMap(([object, own]): Pattern[] =>
    own.every((type) => types.has(type)) ? [allOf(object)] : own.filter((type) => types.has(type)),
  )
  return patterns.length === OBJECTS.length && patterns.every((one) => one.endsWith('.*')) ? ['*'] : patterns
}

/** The types that patterns name. */
export const typesIn = (patterns: readonly string[]): Set<string> =>
  new Set(OBJECTS.flatMap(([object]) => typesOf(object).filter((type) => sends(patterns, type))))

const SIGNS = {
  enabled: ['●', 'good'],
  failing: ['▲', 'warn'],
  disabled: ['■', 'bad'],
} as const satisfies Record<Endpoint['state'], SignOf>
export const signOf = ({ state }: Endpoint) => SIGNS[state]

const DELIVERY_SIGNS = {
  pending: ['○', 'warn'],
  delivered: ['●', 'good'],
  failed: ['▲', 'bad'],
  cancelled: ['■', 'muted'],
} as const satisfies Record<Delivery['state'], SignOf>
export const deliverySignOf = ({ state }: Pick<Delivery, 'state'>) => DELIVERY_SIGNS[state]

const KINDS: Record<string, string> = {
  address_refused: 'its address is not allowed',
  name_not_found: 'its name was not found',
  connect: 'no connection',
  tls: 'its certificate was not accepted',
  timeout: 'no answer in time',
  response_invalid: 'its answer was no HTTP',
  connection_lost: 'the connection broke',
  not_in_log: 'the event is not kept any more',
}

/** What came of an attempt, in words. */
export const resultOf = ({ status, kind }: { status?: number; kind?: string }): string =>
  status !== undefined ? `answered ${status}` : (KINDS[kind ?? ''] ?? kind ?? 'no answer')

const REASONS: Record<NonNullable<Endpoint['disabledReason']>, string> = {
  gone: 'It answered 410, which says that it wants nothing more.',
  unreachable: 'It gave no success for five days.',
  requested: 'A client or the operator disabled it.',
  address_erased: 'Its address held data of a person who was erased.',
}

/** What keeps an endpoint from its events, as a sentence; undefined when nothing does. */
export function problemOf({ state, disabledReason, lastFailure, pending }: Endpoint): string | undefined {
  if (state === 'disabled') return `${disabledReason ? REASONS[disabledReason] : ''} Nothing is sent.`.trim()
  if (state !== 'failing') return undefined
  const waits = pending === 1 ? 'An event waits' : `${pending} events wait`
  return `It fails: ${lastFailure ? resultOf(lastFailure) : 'no success'}. ${waits}; one is tried from time to time.`
}
