import type { EvidenceLimits } from '../contract.ts'

/** What Adyen takes as evidence (Adyen docs, Defense requirements). */

const MEGABYTE = 1024 * 1024

/** Per type: a PDF may be 2 MB, a picture 10 MB. PNG is not taken. */
export const FILE_BYTES: Readonly<Record<string, number>> = {
  'application/pdf': 2 * MEGABYTE,
  'image/jpeg': 10 * MEGABYTE,
  'image/tiff': 10 * MEGABYTE,
}

export const RFI_PAGES = 4
export const MASTERCARD_PAGES = 19
/** Diners and Discover take less than 10 MB of a picture. */
export const DISCOVER_BYTES = 3 * MEGABYTE

/** Mexican acquirers take the smallest files of all. */
export const MEXICO_BYTES = 800 * 1024
/** Klarna reads no pictures. */
export const KLARNA_TYPES = ['application/pdf']

/** Where a dispute has not told its own: the places of a file are its defence reason's document types. */
export const EVIDENCE_LIMITS: EvidenceLimits = {
  fileTypes: Object.keys(FILE_BYTES),
  maxFileBytes: 10 * MEGABYTE,
  maxTotalBytes: 20 * MEGABYTE,
  maxFiles: 10,
  maxPages: MASTERCARD_PAGES,
  fileFields: ['SupplyDefenseMaterial/DefenseMaterial'],
  // Documents only: a text has to be printed into one.
  textFields: {},
  maxTextCharacters: 0,
}

/** Generic document types, the one for all schemes first: a file that names no place goes there. */
export const GENERIC = ['AlternativeDefenseMaterial', 'DefenseMaterial']
