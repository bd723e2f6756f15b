import type { EvidenceLimits } from '../contract.ts'

/** Place of a file that names none. */
export const REST = 'other'

/** Every kind of document that merchants know, so that a submission can be tried out whole. */
export const FILE_FIELDS = ['receipt', 'customer_communication', 'shipping_documentation', 'refund_policy', REST]

/** A reason word with which the sandbox PSP wants two documents, as some PSPs do for some reasons. */
export const TWO_DOCUMENTS = 'two_documents_required'

/** Groups of places that must be filled, by the chargeback's reason word. */
export const requiredFieldsOf = (reason: unknown): readonly (readonly string[])[] =>
  reason === TWO_DOCUMENTS ? [['receipt'], ['shipping_documentation']] : []

const MEGABYTE = 1024 * 1024

/** The bounds of the interface's own files: what can be uploaded can be submitted. */
export const EVIDENCE_LIMITS: EvidenceLimits = {
  fileTypes: ['application/pdf', 'image/jpeg', 'image/png'],
  maxFileBytes: 6 * MEGABYTE,
  maxTotalBytes: 12 * MEGABYTE,
  maxFiles: FILE_FIELDS.length,
  maxPages: null,
  fileFields: FILE_FIELDS,
  textFields: {
    explanation: 20_000,
    product_description: 5_000,
    shipping_carrier: 255,
    shipping_tracking_number: 255,
  },
  maxTextCharacters: 25_510,
}

/** What clients tell about a purchase, in the sandbox PSP's fields. */
export const TEXT_SOURCES: Readonly<Record<string, readonly string[]>> = {
  product_description: ['transactionOrderItemsProductDescription', 'transactionOrderItemsProductName'],
}
