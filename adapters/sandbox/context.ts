import type { CardScheme, PaymentMethod, TransactionFacts } from '../../domain/chargeback.ts'
import { CARD_SCHEMES, PAYMENT_METHODS } from '../../domain/chargeback.ts'
import type { RawObject } from '../contract.ts'
import { PspError } from '../errors.ts'
import { PROVEN_POINTS } from '../shared/check-results.ts'
import { asRecord, isStorable } from '../shared/raw-json.ts'
import { pathOf } from './client.ts'
import { readChargeback, type Sandbox } from './fetch.ts'

/**
 * The transaction of a chargeback, with the field names of `POST /transactions` and of what a PSP proves. Null for posted raw data, whose
 * transactions are posted too and join by themselves.
 */
export async function fetchContext(sandbox: Sandbox, dispute: RawObject): Promise<RawObject | null> {
  const { reference } = dispute
  if (reference === null || sandbox.client === null) return null
  if ((await readChargeback(sandbox, reference)).posted) return null
  try {
    const { value, text } = await sandbox.client.read(`${pathOf(reference)}/transaction`)
    const id = value.transactionId
    return typeof id === 'string' ? { reference: id, text: text.trim() } : null
  } catch (error) {
    if (error instanceof PspError && error.kind === 'not_found') return null
    throw error
  }
}

/** Pure. Values that can't be stored are omitted and never make a chargeback unmappable. */
export function toTransaction(context: RawObject): TransactionFacts {
  const root = asRecord(JSON.parse(context.text)) ?? {}
  const text = (name: string) => {
    const value = root[name]
    return typeof value === 'string' && value !== '' && value.length <= 5000 && isStorable(value) ? value : null
  }
  const digits = (name: string, pattern: RegExp) => (pattern.test(text(name) ?? '') ? text(name) : null)
  const created = Date.parse(text('transactionCreatedDate') ?? '')
  const isPoint = (name: string) => /^transaction[A-Z]/.test(name) || PROVEN_POINTS.some((one) => one === name)
  const names = Object.keys(root).filter((name) => isPoint(name) && name !== 'transactionId')
  const points = names.flatMap((name) => {
    const value = text(name)
    return value === null ? [] : [[name, value] as const]
  })
  return {
    transactionId: text('transactionId') ?? context.reference ?? '',
    transactionCreatedDate: Number.isNaN(created) ? null : new Date(created).toISOString(),
    arn: text('transactionArn'),
    cardScheme: oneOf<CardScheme>(CARD_SCHEMES, text('transactionCardScheme')),
    paymentMethod: oneOf<PaymentMethod>(PAYMENT_METHODS, text('paymentMethod')),
    bin: digits('transactionCardBin', /^(\d{6}|\d{8})$/),
    cardLastFourDigits: digits('transactionCardLastFourDigits', /^\d{4}$/),
    billingCountry: digits('transactionBillingAddressCountry', /^[A-Z]{2}$/),
    dataPoints: Object.fromEntries(points),
  }
}

function oneOf<T extends string>(known: readonly T[], value: string | null): T | null {
  return known.find((word) => word === value) ?? null
}
