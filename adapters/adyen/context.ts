import type { TransactionFacts } from '../../domain/chargeback.ts'
import type { RawObject } from '../contract.ts'
import { isStorable } from '../shared/raw-json.ts'
import { provenByAuthorisation } from './checks.ts'
import { readDisputeText } from './dispute-text.ts'
import { readItem } from './events/items.ts'
import { parsed } from './facts.ts'
import { itemsIn, type Mailbox } from './inbox.ts'
import { cardSchemeOf, paymentMethodOf } from './vocabulary.ts'

/**
 * The payment's AUTHORISATION notification, because Adyen has no call that reads a payment. Null when the payment is
 * older than the webhook, which is no error.
 */
export async function fetchContext(mailbox: Mailbox, dispute: RawObject): Promise<RawObject | null> {
  const payment = paymentOf(dispute)
  if (payment === null) return null
  const found = (await mailbox.inbox.about(payment))
    .flatMap((row) => itemsIn(mailbox, row))
    .filter((item) => item.eventCode === 'AUTHORISATION' && item.pspReference === payment)
    .flatMap(({ text }) => {
      try {
        return [{ text, item: readItem(parsed(text)) }]
      } catch {
        return []
      }
    })
    .filter(({ item }) => item.success)
    .toSorted((a, b) => compare(a.item.eventDate, b.item.eventDate) || compare(a.text, b.text))
    .at(-1)
  return found ? { reference: payment, text: found.text } : null
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function paymentOf(dispute: RawObject): string | null {
  try {
    return (
      readDisputeText(dispute.text).items.find((item) => item.originalReference !== null)?.originalReference ?? null
    )
  } catch {
    return null
  }
}

/** Pure: the payment's facts. Most keys exist only if the webhook's settings enable them. */
export function toTransaction(context: RawObject): TransactionFacts {
  const item = readItem(JSON.parse(context.text))
  const text = (key: string) => sound(item.additional[key])
  const scheme = cardSchemeOf(item.paymentMethod) ?? cardSchemeOf(text('paymentMethodVariant'))
  const bin = binOf(text('cardBin') ?? text('issuerBin'))
  const lastFour = digits(text('cardSummary'), 4)
  const country = countryOf(text('billingAddress.country'))
  return {
    transactionId: item.pspReference,
    transactionCreatedDate: item.eventDate,
    arn: digits(text('arn'), 23),
    cardScheme: scheme,
    paymentMethod: paymentMethodOf(text('paymentMethodVariant'), item.paymentMethod, text('fundingSource')),
    bin,
    cardLastFourDigits: lastFour,
    billingCountry: country,
    dataPoints: present({
      transactionStatus: item.success ? 'authorised' : 'refused',
      transactionCreatedDate: item.eventDate,
      transactionCardLastFourDigits: lastFour,
      transactionCardScheme: scheme,
      transactionCardBin: bin,
      transactionOrderEmail: text('shopperEmail'),
      transactionOrderPhone: text('shopperTelephone') ?? text('telephoneNumber'),
      transactionOrderIpAddress: text('shopperIP'),
      transactionBillingAddressCountry: country,
      ...shipping(text),
      ...(item.success && provenByAuthorisation(text, item.amount)),
    }),
  }
}

function shipping(text: (key: string) => string | null): Record<string, string | null> {
  const part = (name: string) => text(`deliveryAddress.${name}`)
  const line1 = [part('street'), part('houseNumberOrName')].filter((value) => value !== null).join(' ')
  const state = part('stateOrProvince')
  const rest = ['city', 'stateOrProvince', 'postalCode', 'country'].map(part)
  const full = [line1 === '' ? null : line1, ...rest].filter((value) => value !== null).join(', ')
  return {
    transactionShippingToAddressLine1: line1 || null,
    transactionShippingToState: state !== null && /^[A-Z]{2}$/.test(state) ? state : null,
    transactionShippingToZipCode: part('postalCode'),
    transactionShippingToFullShippingAddress: full || null,
  }
}

/** Six or eight digits, whatever the length that Adyen was asked to send. */
function binOf(value: string | null): string | null {
  if (value === null || !/^\d{6,}$/.test(value)) return null
  return value.slice(0, value.length >= 8 ? 8 : 6)
}

/** Adyen requests ZZ for an unknown country. */
function countryOf(value: string | null): string | null {
  return value !== null && /^[A-Z]{2}$/.test(value) && value !== 'ZZ' ? value : null
}

function digits(value: string | null, length: number): string | null {
  return value !== null && /^\d+$/.test(value) && value.length === length ? value : null
}

function sound(value: string | undefined): string | null {
  return value !== undefined && value !== '' && value.length <= 2000 && isStorable(value) ? value : null
}

function present(values: Record<string, string | null | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}
