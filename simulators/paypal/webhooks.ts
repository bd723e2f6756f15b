import { createHmac } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { sliceMember } from '../../adapters/shared/raw-json.ts'
import type { DisputeLookup, DisputePlan, EventDraft, EventRecord, JsonObject } from '../engine/contract.ts'
import type { PayPalRequest } from './endpoint.ts'
import { invalid } from './errors.ts'
import { situationOf, WORDS } from './situations.ts'
import { iso, plannedUpdate } from './time.ts'

/** Stands for PayPal's private key; only `verify-webhook-signature` can check what it signed. */
const SIGNING_KEY = 'recoup simulated paypal'

/** Notifications from before the subscription. */
export function firstEvents(plan: DisputePlan): { type: string; at: number }[] {
  const created = { type: 'CUSTOMER.DISPUTE.CREATED', at: plan.createdAt }
  const ended = WORDS[situationOf(plan).word]?.status === 'RESOLVED'
  return ended ? [created, { type: 'CUSTOMER.DISPUTE.RESOLVED', at: plannedUpdate(plan) }] : [created]
}

export function eventsBetween(before: JsonObject, after: JsonObject): EventDraft[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  const resolved = before?.status !== 'RESOLVED' && after?.status === 'RESOLVED'
  return [{ type: resolved ? 'CUSTOMER.DISPUTE.RESOLVED' : 'CUSTOMER.DISPUTE.UPDATED', previous: null }]
}

/** A delivery, signed for the webhook with that id; each merchant has its own. */
export function notification(
  engine: DisputeLookup,
  event: EventRecord,
  webhookId: string,
  signedAt: number,
): { body: string; headers: Record<string, string> } {
  const record = engine.find(event.reference, event.account)
  const resource = event.text ?? (record?.plan ? JSON.stringify(engine.profile.build(record.plan)) : 'null')
  const { id, type: event_type } = event
  const head = { id: `WH-${id.slice(4)}`, event_version: '1.0', create_time: iso(event.at), resource_type: 'dispute' }
  const summary = 'A dispute was created, updated or resolved.'
  const body = `${JSON.stringify({ ...head, event_type, summary }).slice(0, -1)},"resource":${resource}}`
  const transmission = { id: `T-${id.slice(4)}-${signedAt}`, time: iso(signedAt) }
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': 'PayPal/AUHD-214.0-58885037',
      'paypal-auth-algo': 'SHA256withRSA',
      'paypal-cert-url': 'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1d93a270',
      'paypal-transmission-id': transmission.id,
      'paypal-transmission-time': transmission.time,
      'paypal-transmission-sig': signature(transmission, webhookId, body),
    },
  }
}

function signature(transmission: { id: string; time: string }, webhookId: string, body: string): string {
  const signed = [transmission.id, transmission.time, webhookId, crc32(body)].join('|')
  return createHmac('sha256', SIGNING_KEY).update(signed).digest('base64')
}

const ASKED = ['auth_algo', 'cert_url', 'transmission_id', 'transmission_sig', 'transmission_time', 'webhook_id']

/** POST /v1/notifications/verify-webhook-signature: over the event's bytes, so a re-serialised event is invalid. */
export function verifySignature({ input, text }: PayPalRequest): string {
  const asked = input as Record<string, unknown>
  for (const field of [...ASKED, 'webhook_event']) {
    if (asked?.[field] === undefined) throw invalid('MISSING_REQUIRED_PARAMETER', `/${field}`)
  }
  const { transmission_id, transmission_time, webhook_id, transmission_sig } = asked
  const event = sliceMember(text, 'webhook_event') ?? ''
  const transmission = { id: String(transmission_id), time: String(transmission_time) }
  const genuine = signature(transmission, String(webhook_id), event) === transmission_sig
  return JSON.stringify({ verification_status: genuine ? 'SUCCESS' : 'FAILURE' })
}
