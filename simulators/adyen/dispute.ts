import type { DisputePlan, Json, JsonObject, Reading } from '../engine/contract.ts'
import { isoOf, merchantReferenceOf, methodOf, paymentReferenceOf } from './payment.ts'
import { reasonOf, situationOf } from './situations.ts'

/** Adyen's internal state of a dispute; only its notifications, `items`, are visible. */
export interface SimulatedDispute {
  merchantAccount: string
  disputePspReference: string
  currency: string
  items: JsonObject[]
  simulated: {
    stage: 'alert' | 'inquiry' | 'chargeback' | 'second_chargeback' | 'third_chargeback'
    /** Open: the merchant has to answer. */
    open: boolean
    dueAt: number | null
    defended: boolean
    reasonCode: string
    scheme: string
    /** Documents by type code: the file with their content. */
    documents: { [type: string]: string }
  }
}

/** The engine stores PSP objects as plain JSON; these files cast them to Adyen's. */
export function asDispute(object: JsonObject): SimulatedDispute {
  return object as unknown as SimulatedDispute
}

export interface Happening {
  code: string
  at: number
  status?: string
  data?: Record<string, string>
}

/** Adds the next notification. Unchanged facts come from the first one. */
export function happen(dispute: SimulatedDispute, { code, at, status, data }: Happening): void {
  const [first] = dispute.items
  const {
    defensePeriodEndsAt: _,
    defendable: __,
    disputeStatus: ___,
    autoDefended: ____,
    ...kept
  } = (first?.additionalData ?? {}) as Record<string, string>
  const amount = dispute.items.at(-1)?.amount ?? first?.amount ?? null
  dispute.items.push({
    ...first,
    amount,
    eventCode: code,
    eventDate: isoOf(at),
    additionalData: { ...kept, ...(status !== undefined && { disputeStatus: status }), ...data },
  })
}

/** Seconds of the last notification: the next one is later. */
export function lastAt({ items }: SimulatedDispute): number {
  return Math.floor(Date.parse(String(items.at(-1)?.eventDate)) / 1000)
}

export function buildDispute(plan: DisputePlan): SimulatedDispute {
  const situation = situationOf(plan)
  const reason = reasonOf(plan)
  const [code = '', status] = situation.word.split('/')
  const dispute: SimulatedDispute = {
    merchantAccount: plan.account,
    disputePspReference: plan.reference,
    currency: plan.currency,
    items: [],
    simulated: {
      stage: situation.stage as SimulatedDispute['simulated']['stage'],
      open: situation.open && plan.dueAt !== null,
      dueAt: plan.dueAt,
      defended: !situation.open,
      reasonCode: reason.code ?? '',
      scheme: reason.scheme ?? 'visa',
      documents: {},
    },
  }
  const openingCode =
    situation.variant === 'opened'
      ? code
      : situation.stage === 'inquiry'
        ? 'REQUEST_FOR_INFORMATION'
        : situation.stage === 'alert'
          ? 'NOTIFICATION_OF_FRAUD'
          : 'NOTIFICATION_OF_CHARGEBACK'
  dispute.items.push(openingItem(plan, openingCode))
  for (const step of historyOf(plan, situation.variant, code, status)) happen(dispute, step)
  // Webhooks without "include originalReference" omit it in events after a win.
  if (plan.token.charCodeAt(3) % 3 === 0) {
    for (const item of dispute.items) {
      if (/^(CHARGEBACK_REVERSED|SECOND_CHARGEBACK|PREARBITRATION_)/.test(String(item.eventCode))) {
        delete item.originalReference
      }
    }
  }
  return dispute
}

function openingItem(plan: DisputePlan, code: string): JsonObject {
  const { variant, stage } = situationOf(plan)
  const reason = reasonOf(plan)
  const { method } = methodOf(plan)
  const family = stage === 'inquiry' ? 'rfi' : stage === 'alert' ? 'nof' : 'chargeback'
  const answerable = plan.dueAt !== null && stage !== 'alert'
  const auto = variant === 'auto'
  const plain = situationOf(plan).word.startsWith('NOTIFICATION_OF_CHARGEBACK') || variant === 'opened'
  const data: JsonObject = {
    // Mastercard's codes start with a blank.
    [`${family}ReasonCode`]: method === 'mc' ? ` ${reason.code}` : reason.code,
    [`${family}SchemeCode`]: method,
    paymentMethodVariant: method,
    modificationMerchantReferences: '',
    ...(stage === 'alert' ? {} : { arn: `7${plan.token.replace(/\D/g, '').padEnd(22, '4').slice(0, 22)}` }),
    ...(plan.dueAt !== null && stage !== 'alert' && { defensePeriodEndsAt: isoOf(plan.dueAt) }),
    ...(stage === 'alert' ? {} : { defendable: String(answerable && !auto) }),
    ...(auto && { autoDefended: 'true' }),
    ...(stage === 'inquiry' && { disputeStatus: 'Unresponded' }),
    ...(stage !== 'alert' && stage !== 'inquiry' && !auto && plain && { disputeStatus: 'Undefended' }),
  }
  return {
    additionalData: data,
    amount: { currency: plan.currency, value: plan.amount },
    eventCode: code,
    eventDate: isoOf(plan.createdAt),
    merchantAccountCode: plan.account,
    merchantReference: merchantReferenceOf(plan),
    originalReference: paymentReferenceOf(plan),
    paymentMethod: method,
    pspReference: plan.reference,
    reason: reason.word,
    success: 'true',
  }
}

/** Events between the opening and the situation's own event. */
function historyOf(plan: DisputePlan, variant: string, code: string, status: string | undefined): Happening[] {
  const { createdAt, endedAt } = plan
  const between = (part: number) => createdAt + Math.floor((endedAt - createdAt) * part)
  const last: Happening = { code, at: endedAt, ...(status !== undefined && { status }) }
  const supplied: Happening = { code: 'INFORMATION_SUPPLIED', at: between(0.3), status: 'Pending' }
  const reversed: Happening = { code: 'CHARGEBACK_REVERSED', at: between(0.6), status: 'Pending' }
  const opened = (defendable: boolean, at: number): Happening => ({
    code: 'PREARBITRATION_OPEN',
    at,
    data: {
      defendable: String(defendable),
      ...(plan.dueAt !== null && { defensePeriodEndsAt: isoOf(plan.dueAt) }),
    },
  })
  switch (variant) {
    case 'noc':
    case 'rfi':
    case 'opened':
    case 'fraud':
    case 'auto':
      return []
    case 'debited': {
      const defendable = String(plan.dueAt !== null)
      const due = plan.dueAt === null ? {} : { defensePeriodEndsAt: isoOf(plan.dueAt) }
      return [{ ...last, data: { defendable, ...due } }]
    }
    case 'late_debit':
      return [supplied, { ...last, data: { defendable: 'false' } }]
    case 'defended':
    case 'rfi_answered':
    case 'rfi_expired':
    case 'ended_accepted':
    case 'ended_silent':
      return [last]
    case 'issuer_silent':
      return [supplied, { ...reversed, status: 'Won' }, last]
    case 'prearbitration':
      return [supplied, reversed, opened(plan.dueAt !== null, endedAt)]
    case 'prearbitration_closed':
      return [supplied, reversed, opened(false, endedAt)]
    case 'prearbitration_then':
      return [supplied, reversed, opened(true, between(0.8)), last]
    case 'arbitration':
      return code === 'SCHEME_ARBITRATION'
        ? [supplied, reversed, opened(true, between(0.8)), last]
        : [supplied, reversed, opened(true, between(0.7)), { code: 'SCHEME_ARBITRATION', at: between(0.8) }, last]
    default:
      return [supplied, last]
  }
}

/** Reads any added object, however malformed, without throwing. */
export function readDispute(object: JsonObject): Reading {
  const items = itemsIn(object)
  const last = items.at(-1)
  const data = (last?.additionalData ?? null) as Record<string, Json> | null
  const dispute = (typeof object === 'object' && object !== null ? asDispute(object) : null) as SimulatedDispute | null
  const state = dispute?.simulated
  const created = Date.parse(String(items[0]?.eventDate))
  const named = dispute?.disputePspReference ?? items[0]?.pspReference
  const word = [last?.eventCode, data?.disputeStatus].filter((part) => typeof part === 'string' && part !== '')
  return {
    reference: typeof named === 'string' && named !== '' ? named : null,
    word: word.length > 0 ? word.join('/') : 'unknown',
    createdAt: Number.isNaN(created) ? null : Math.floor(created / 1000),
    deadline: state?.open === true && typeof state.dueAt === 'number' ? state.dueAt : null,
    links: [],
  }
}

/** Items of a dispute, of an added delivery, or a single added item. */
export function itemsIn(object: JsonObject): JsonObject[] {
  if (typeof object !== 'object' || object === null) return []
  const isItem = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null
  if (Array.isArray(object.items)) return object.items.filter(isItem)
  if (Array.isArray(object.notificationItems)) {
    return object.notificationItems
      .filter(isItem)
      .map((wrapper) => wrapper.NotificationRequestItem)
      .filter(isItem)
  }
  return isItem(object.NotificationRequestItem) ? [object.NotificationRequestItem] : [object]
}
