import { createHash, createHmac } from 'node:crypto'
import type { DisputeLookup, DisputePlan, EventDraft, EventRecord, JsonObject } from '../engine/contract.ts'
import { instant } from './dispute.ts'
import { keysOfMerchant } from './keys.ts'
import { situationOf } from './situations.ts'
import { document, element } from './xml.ts'

/** Kinds that Braintree sends about disputes; one per status. */
const KINDS = ['open', 'under_review', 'won', 'lost', 'accepted', 'auto_accepted', 'disputed', 'expired']

function kindOf(status: string): string {
  return status === 'open' ? 'dispute_opened' : `dispute_${status}`
}

/** Notifications from before the subscription. */
export function firstEvents(plan: DisputePlan): { type: string; at: number }[] {
  const { word } = situationOf(plan)
  const opened = { type: 'dispute_opened', at: plan.createdAt }
  return word === 'open' ? [opened] : [opened, { type: kindOf(word), at: plan.endedAt }]
}

/** Braintree reports changes of status only. */
export function eventsBetween(before: JsonObject, after: JsonObject): EventDraft[] {
  const status = String(after.status)
  if (before.status === after.status || !KINDS.includes(status)) return []
  return [{ type: kindOf(status), previous: null }]
}

/** Signed with the private key of the merchant's own pair, and labelled with its public key. */
export function notification(
  engine: DisputeLookup,
  event: EventRecord,
  secret: string,
  signedAt: number,
): { body: string; headers: Record<string, string> } {
  const record = engine.find(event.reference, event.account)
  const text = event.text ?? (record?.plan ? JSON.stringify(engine.profile.build(record.plan)) : 'null')
  const dispute = element('dispute', JSON.parse(text))
  const head = `${element('timestamp', instant(signedAt))}${element('kind', event.type)}`
  const xml = document(`<notification>${head}<subject>${dispute}</subject></notification>`)
  const payload = `${Buffer.from(xml).toString('base64')}\n`
  const { publicKey } = keysOfMerchant(event.account)
  const key = createHash('sha1').update(secret).digest()
  const signature = `${publicKey}|${createHmac('sha1', key).update(payload).digest('hex')}`
  return {
    body: new URLSearchParams({ bt_signature: signature, bt_payload: payload }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Braintree-Webhooks' },
  }
}
