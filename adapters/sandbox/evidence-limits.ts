import type { FieldTable } from '../../domain/evidence/texts/text-table.ts'
import type { EvidenceLimits } from '../contract.ts'

/** Default place of a file. */
export const REST = 'other'

/** The usual kinds of documents, so that a complete submission can be tested. */
export const FILE_FIELDS = ['receipt', 'customer_communication', 'shipping_documentation', 'refund_policy', REST]

/** A reason for which the sandbox PSP requires two documents, as some PSPs do. */
export const TWO_DOCUMENTS = 'two_documents_required'

/** Groups of places of which one each is required, by the chargeback's reason. */
export const requiredFieldsOf = (reason: unknown): readonly (readonly string[])[] =>
  reason === TWO_DOCUMENTS ? [['receipt'], ['shipping_documentation']] : []

const MEGABYTE = 1024 * 1024

const TEXT_FIELDS = {
  explanation: 20_000,
  product_description: 5_000,
  shipping_carrier: 255,
  shipping_tracking_number: 255,
}
export type TextField = keyof typeof TEXT_FIELDS

/** The limits of the interface's own files: every uploaded file can be submitted. */
export const EVIDENCE_LIMITS: EvidenceLimits = {
  fileTypes: ['application/pdf', 'image/jpeg', 'image/png'],
  maxFileBytes: 6 * MEGABYTE,
  maxTotalBytes: 12 * MEGABYTE,
  maxFiles: FILE_FIELDS.length,
  maxPages: null,
  fileFields: FILE_FIELDS,
  textFields: TEXT_FIELDS,
  maxTextCharacters: 25_510,
}

/** Data points of a purchase, by the sandbox PSP's fields. */
export const TEXT_SOURCES: Readonly<Record<string, readonly string[]>> = {
  product_description: ['transactionOrderItemsProductDescription', 'transactionOrderItemsProductName'],
}

/** What fills the sandbox PSP's text fields. */
export const TEXT_FACTS: FieldTable<TextField> = {
  explanation: [{ summary: 1_500 }],
  product_description: [{ fact: 'goods', most: 1_000 }],
  shipping_carrier: [{ fact: 'shippingCarrier' }],
  shipping_tracking_number: [{ ids: 'shippingTrackingNumber' }],
}
