import type { DisputePlan, DisputeRecord, JsonObject } from '../engine/contract.ts'
import type { Window } from '../engine/timeline.ts'
import { demand } from './authenticate.ts'
import type { StripeRequest } from './endpoint.ts'
import { missingObject, refusedByState } from './errors.ts'
import { expandObject, expandPaths } from './expand.ts'
import { asDispute, closeDispute, isWaiting } from './lifecycle.ts'
import { listText, windowOf } from './lists.ts'
import { chargeObject } from './objects.ts'
import { textOf } from './parameters.ts'

export function recordOf({ account, id }: StripeRequest): DisputeRecord {
  const record = account.byReference.get(id)
  if (!record) throw missingObject('dispute', id, 'dispute')
  return record
}

/** GET /v1/disputes: newest first, no filter by status and none by change. */
export function listDisputes(request: StripeRequest): string {
  const { account, parameters } = request
  const window: Window<DisputeRecord> = windowOf(parameters, 'dispute', (id) => account.byReference.get(id))
  const paths = expandPaths(request, true)
  const links = [textOf(parameters, 'charge'), textOf(parameters, 'payment_intent')].filter((id) => id !== undefined)
  if (links.length > 0) {
    const linked = links.map((id) => new Set(account.byLink.get(id) ?? []))
    window.matches = (record) => linked.every((records) => records.has(record))
  }
  const { items, hasMore } = account.disputes.page(window)
  return listText(
    '/v1/disputes',
    items.map((record) => disputeText(request, record, paths)),
    hasMore,
  )
}

/** GET /v1/disputes/{id} */
export function retrieveDispute(request: StripeRequest): string {
  return disputeText(request, recordOf(request), expandPaths(request, false))
}

/** POST /v1/disputes/{id}/close: the acceptance. A dispute closes once; a second key finds nothing to close. */
export function closeAtStripe(request: StripeRequest): string {
  const { engine, idempotencyKey, requestId, account } = request
  const record = recordOf(request)
  const dispute = asDispute(engine.read(record))
  if (!isWaiting(dispute))
    throw refusedByState(`This dispute is already ${dispute.status} and can no longer be closed.`)
  engine.setPending(record, null)
  engine.change(record, (object) => closeDispute(asDispute(object)))
  engine.ledger.effect({
    kind: 'acceptance',
    account: account.id,
    ref: record.reference,
    round: record.round,
    idempotencyKey,
    requestId,
    details: { from: dispute.status },
  })
  return disputeText(request, record, expandPaths(request, false))
}

/** The object as text, unchanged when nothing is expanded. */
export function disputeText(request: StripeRequest, record: DisputeRecord, paths: readonly string[][]): string {
  const text = request.engine.text(record)
  if (paths.length === 0) return text
  const [path] = paths
  if (paths.length === 1 && path?.length === 1 && path[0] === 'charge' && record.plan && record.text === null) {
    return withCharge(request, record.plan, text)
  }
  const object = JSON.parse(text) as JsonObject
  if (typeof object !== 'object' || object === null) return text
  return JSON.stringify(expandObject(request, object, paths))
}

/** The most common expansion, spliced into the text, because a first load reads pages of it. */
function withCharge({ caller }: StripeRequest, plan: DisputePlan, text: string): string {
  demand(caller, 'Charges')
  const charge = chargeObject(plan)
  return text.replace(`"charge":"${charge.id}"`, () => `"charge":${JSON.stringify(charge)}`)
}
