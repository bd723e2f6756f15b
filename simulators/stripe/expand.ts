import type { JsonObject } from '../engine/contract.ts'
import { demand } from './authenticate.ts'
import type { StripeRequest } from './endpoint.ts'
import { badParameter } from './errors.ts'
import type { Permission } from './keys.ts'
import { findObject, type Kind, refundsOf } from './objects.ts'
import { textsOf } from './parameters.ts'
import { FILE_FIELDS } from './specs.ts'

const DEEPEST = 4
const PERMISSION: Readonly<Record<Kind, Permission>> = {
  charge: 'Charges',
  payment_intent: 'PaymentIntents',
  customer: 'Customers',
  balance_transaction: 'Charges',
  file: 'Files',
}
const files = Object.fromEntries(FILE_FIELDS.map((field) => [field, 'file' as const]))

/** What can be expanded where: an id that becomes an object, or a part to walk through. */
const EXPANDABLE: Readonly<Record<string, Readonly<Record<string, Kind | 'inside'>>>> = {
  dispute: { charge: 'charge', payment_intent: 'payment_intent', balance_transactions: 'inside', evidence: 'inside' },
  evidence: files,
  charge: {
    balance_transaction: 'balance_transaction',
    customer: 'customer',
    payment_intent: 'payment_intent',
    refunds: 'inside',
  },
  payment_intent: { customer: 'customer', latest_charge: 'charge' },
  refund: { balance_transaction: 'balance_transaction', charge: 'charge', payment_intent: 'payment_intent' },
  list: { data: 'inside' },
}

/** Paths of `expand`, checked. On lists they start with `data`. */
export function expandPaths(request: StripeRequest, list: boolean): string[][] {
  return textsOf(request.parameters, 'expand').map((path) => {
    const steps = path.split('.')
    if (steps.length > DEEPEST)
      throw badParameter('expand', `You cannot expand more than ${DEEPEST} levels of a property`)
    if (list && steps[0] !== 'data')
      throw badParameter('expand', `This property cannot be expanded (${path}). Did you mean data.${path}?`)
    return list ? steps.slice(1) : steps
  })
}

/** Puts whole objects where ids were, in place. @throws StripeRefusal 400 for what has no expansion, 403 */
export function expandObject(request: StripeRequest, object: JsonObject, paths: readonly string[][]): JsonObject {
  for (const path of paths) walk(request, object, path, path.join('.'), 'dispute')
  return object
}

function walk(request: StripeRequest, object: JsonObject, steps: readonly string[], path: string, part: string): void {
  const [step, ...rest] = steps
  if (step === undefined) return
  const kind = EXPANDABLE[String(object.object ?? part)]?.[step]
  if (kind === undefined) throw badParameter('expand', `This property cannot be expanded (${path}).`)
  if (kind !== 'inside') demand(request.caller, PERMISSION[kind])
  else if (step === 'refunds') object.refunds ??= refundsOf(request.account, String(object.id)) ?? null
  const value = object[step]
  if (kind !== 'inside' && typeof value === 'string') {
    object[step] = findObject(request.account, kind, value) ?? value
  }
  const reached = object[step]
  for (const item of Array.isArray(reached) ? reached : [reached]) {
    if (typeof item === 'object' && item !== null && !Array.isArray(item)) walk(request, item, rest, path, step)
  }
}
