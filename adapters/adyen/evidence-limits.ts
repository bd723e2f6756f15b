import type { EvidenceLimits } from '../contract.ts'

/** Evidence limits of Adyen (Adyen docs, Defense requirements). */

const MEGABYTE = 1024 * 1024

const PDF_BYTES = 2 * MEGABYTE
/** By type: 2 MB per PDF, 10 MB per picture. PNG is not supported. */
export const FILE_BYTES: Readonly<Record<string, number>> = {
  'application/pdf': PDF_BYTES,
  'image/jpeg': 10 * MEGABYTE,
  'image/tiff': 10 * MEGABYTE,
}

export const RFI_PAGES = 4
export const MASTERCARD_PAGES = 19
/** Diners and Discover accept smaller pictures. */
export const DISCOVER_BYTES = 3 * MEGABYTE

/** Mexican acquirers accept the smallest files. */
export const MEXICO_BYTES = 800 * 1024
/** Klarna accepts no pictures. */
export const KLARNA_TYPES = ['application/pdf']

/** Default limits; a dispute's file fields are the document types of its defence reason. */
export const EVIDENCE_LIMITS: EvidenceLimits = {
  fileTypes: Object.keys(FILE_BYTES),
  maxFileBytes: 10 * MEGABYTE,
  maxPdfBytes: PDF_BYTES,
  maxTotalBytes: 20 * MEGABYTE,
  maxFiles: 10,
  maxPages: MASTERCARD_PAGES,
  fileFields: ['SupplyDefenseMaterial/DefenseMaterial'],
  // Documents only: texts would have to be printed into one.
  textFields: {},
  maxTextCharacters: 0,
}

/** Generic document types, the one for all schemes first: the default place of a file. */
export const GENERIC = ['AlternativeDefenseMaterial', 'DefenseMaterial']
