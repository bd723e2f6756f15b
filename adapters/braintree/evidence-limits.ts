import type { FieldTable } from '../../domain/evidence/texts/text-table.ts'
import type { EvidenceLimits } from '../contract.ts'

/** Evidence limits of Braintree (Braintree docs, Dispute evidence; categories as in its GraphQL schema). */

/** Default category of a document. */
export const GENERAL = 'GENERAL'

export const FILE_CATEGORIES = [
  GENERAL,
  'LEGIT_PAYMENTS_FOR_SAME_MERCHANDISE',
  'MERCHANT_WEBSITE_OR_APP_ACCESS',
  'PROFILE_SETUP_OR_APP_ACCESS',
  'PROOF_OF_3D_SECURE',
  'PROOF_OF_AUTHORIZED_SIGNER',
  'PROOF_OF_DELIVERY',
  'PROOF_OF_DELIVERY_EMP_ADDRESS',
  'PROOF_OF_POSSESSION_OR_USAGE',
  'SIGNED_DELIVERY_FORM',
  'SIGNED_ORDER_FORM',
  'TICKET_PROOF',
] as const

/**
 * Characters. Only GEOGRAPHICAL_LOCATION's limit is documented; the others are Recoup's, well below any refused length.
 */
export const TEXT_CATEGORIES = {
  GENERAL: 5000,
  CARRIER_NAME: 100,
  CREDIT_ISSUED_AMOUNT: 50,
  CREDIT_ISSUED_ARN: 23,
  CREDIT_ISSUED_DATE_TIME: 50,
  DEVICE_ID: 255,
  DEVICE_NAME: 255,
  DOWNLOAD_DATE_TIME: 50,
  GEOGRAPHICAL_LOCATION: 50,
  PRIOR_DIGITAL_GOODS_TRANSACTION_ARN: 23,
  PRIOR_DIGITAL_GOODS_TRANSACTION_DATE_TIME: 50,
  PRIOR_DIGITAL_GOODS_TRANSACTION_ID: 255,
  PRIOR_NON_DISPUTED_TRANSACTION_ARN: 23,
  PRIOR_NON_DISPUTED_TRANSACTION_DATE_TIME: 50,
  PRIOR_NON_DISPUTED_TRANSACTION_EMAIL_ADDRESS: 255,
  PRIOR_NON_DISPUTED_TRANSACTION_ID: 255,
  PRIOR_NON_DISPUTED_TRANSACTION_IP_ADDRESS: 45,
  PRIOR_NON_DISPUTED_TRANSACTION_PHONE_NUMBER: 20,
  PRIOR_NON_DISPUTED_TRANSACTION_PHYSICAL_ADDRESS: 255,
  PURCHASER_EMAIL_ADDRESS: 255,
  PURCHASER_IP_ADDRESS: 45,
  PURCHASER_NAME: 255,
  RECURRING_TRANSACTION_ARN: 23,
  RECURRING_TRANSACTION_DATE_TIME: 50,
  RECURRING_TRANSACTION_ID: 255,
  REFUND_ID: 255,
  TRACKING_NUMBER: 255,
} as const
export type TextField = keyof typeof TEXT_CATEGORIES

/** Texts that may be cut; a cut number, date or address proves nothing. */
const PROSE = [GENERAL, 'CARRIER_NAME', 'DEVICE_NAME', 'GEOGRAPHICAL_LOCATION', 'PURCHASER_NAME']

export function mustStayWhole(category: string): boolean {
  return !PROSE.includes(category) && !category.endsWith('_PHYSICAL_ADDRESS')
}

/** Texts that make Braintree refuse the whole submission (95707, 95715), each with the error. */
export function malformed(texts: Readonly<Record<string, string>>): [category: string, why: string][] {
  return Object.entries(texts).flatMap(([category, text]): [string, string][] => {
    if (category.endsWith('_DATE_TIME') && Number.isNaN(Date.parse(text))) return [[category, 'it is no date']]
    const mail = category.endsWith('_EMAIL_ADDRESS') && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)
    return mail ? [[category, 'it is no e-mail address']] : []
  })
}

const MEGABYTE = 1024 * 1024
export const MAX_PAGES = 50

/** `maxTotalBytes` is the maximum per dispute; the remaining storage is in `remainingFileEvidenceStorage`. */
export const EVIDENCE_LIMITS: EvidenceLimits = {
  fileTypes: ['application/pdf', 'image/jpeg', 'image/png'],
  maxFileBytes: 4 * MEGABYTE,
  maxTotalBytes: 16 * MEGABYTE,
  maxFiles: FILE_CATEGORIES.length,
  maxPages: MAX_PAGES,
  fileFields: FILE_CATEGORIES,
  textFields: TEXT_CATEGORIES,
  maxTextCharacters: 20_000,
}

/** Data points of a purchase, by Braintree's categories. */
export const TEXT_SOURCES: Readonly<Record<string, readonly string[]>> = {
  CARRIER_NAME: ['shippingCarrier'],
  CREDIT_ISSUED_AMOUNT: ['refundAmount'],
  CREDIT_ISSUED_ARN: ['refundArn'],
  CREDIT_ISSUED_DATE_TIME: ['refundDate'],
  DEVICE_ID: ['transactionOrderDeviceId'],
  DOWNLOAD_DATE_TIME: ['downloadDate'],
  PURCHASER_EMAIL_ADDRESS: ['transactionOrderEmail', 'transactionShippingEmail'],
  PURCHASER_IP_ADDRESS: ['transactionOrderIpAddress'],
  PURCHASER_NAME: ['customerName'],
  TRACKING_NUMBER: ['shippingTrackingNumber'],
}

/** What fills Braintree's text categories: all that has no category of its own is in GENERAL. */
export const TEXT_FACTS: FieldTable<TextField> = {
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
  // Visa compelling evidence 3.0: one of the two earlier purchases has fields of its own.
  PRIOR_NON_DISPUTED_TRANSACTION_ID: [{ fact: 'earlierPurchaseId' }],
  PRIOR_NON_DISPUTED_TRANSACTION_ARN: [{ fact: 'earlierPurchaseArn' }],
  PRIOR_NON_DISPUTED_TRANSACTION_DATE_TIME: [{ fact: 'earlierPurchaseDate', iso: true }],
  PRIOR_NON_DISPUTED_TRANSACTION_IP_ADDRESS: [{ fact: 'earlierPurchaseIp' }],
  PRIOR_NON_DISPUTED_TRANSACTION_EMAIL_ADDRESS: [{ fact: 'earlierPurchaseEmail' }],
  PRIOR_NON_DISPUTED_TRANSACTION_PHYSICAL_ADDRESS: [{ fact: 'earlierPurchaseAddress' }],
}
