import type { TextTable } from '../../domain/evidence/texts/text-table.ts'
import { incomplete } from './companions.ts'
import { malformed, TEXT_CATEGORIES, type TextField } from './evidence-limits.ts'

/** What fills Braintree's text categories: all that has no category of its own is in GENERAL. */
export const TEXT_TABLE: TextTable<TextField> = {
  fields: {
    GENERAL: [{ summary: TEXT_CATEGORIES.GENERAL }],
    PURCHASER_NAME: [{ fact: 'customerName' }],
    PURCHASER_EMAIL_ADDRESS: [{ fact: 'email' }],
    PURCHASER_IP_ADDRESS: [{ fact: 'ip' }],
    GEOGRAPHICAL_LOCATION: [{ fact: 'location' }],
    CARRIER_NAME: [{ fact: 'shippingCarrier' }],
    TRACKING_NUMBER: [{ ids: 'shippingTrackingNumber' }],
    DOWNLOAD_DATE_TIME: [{ fact: 'downloadDate', iso: true }],
    DEVICE_ID: [{ fact: 'device' }],
    DEVICE_NAME: [{ fact: 'deviceName' }],
    REFUND_ID: [{ fact: 'refundId' }],
    CREDIT_ISSUED_AMOUNT: [{ fact: 'refundAmount' }],
    CREDIT_ISSUED_ARN: [{ fact: 'refundArn' }],
    CREDIT_ISSUED_DATE_TIME: [{ fact: 'refundDate', iso: true }],
  },
  refused,
}

/** Malformed texts first: a companion that is not sent completes nothing. */
function refused(texts: Readonly<Record<string, string>>, files: readonly string[]): [string, string][] {
  const wrong = malformed(texts)
  const left = Object.fromEntries(Object.entries(texts).filter(([name]) => !wrong.some(([one]) => one === name)))
  return [...wrong, ...incomplete({ texts: left, files })]
}
