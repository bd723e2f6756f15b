/**
 * Names of data points that prove something with the PSP's own record; operation 1 has no fields for them. Words instead
 * of letters, because a letter's meaning depends on the scheme.
 */
export const PROVEN_POINTS = [
  ...([
    'avsResult',
    'cvvResult',
    'threeDsResult',
    'eci',
    'authorizationCode',
    'authorizedAmount',
    'cardEntry',
  ] as const),
  ...(['refundId', 'refundDate', 'refundAmount', 'refundArn', 'shippingCarrier', 'shippingTrackingNumber'] as const),
] as const
export type ProvenPoints = Partial<Record<(typeof PROVEN_POINTS)[number], string | null>>

/** Result of the check of one part; null when it was not checked. */
export type PartMatches = boolean | null

/** `avsResult` of street and postal code. Null when nothing was checked, or one part failed and the other was not checked. */
export function addressResult(street: PartMatches, postalCode: PartMatches): string | null {
  if (street && postalCode) return 'match'
  if (street) return 'address_match'
  if (postalCode) return 'postal_code_match'
  return street === false && postalCode === false ? 'no_match' : null
}

/** `cvvResult` */
export const codeResult = (matches: PartMatches): string | null =>
  matches === null ? null : matches ? 'match' : 'no_match'

/** `threeDsResult` of 3-D Secure's own status letter; null for unable (U), informational (I) and unknown ones. */
export function threeDsResult(letter: string | null): string | null {
  if (letter === 'Y') return 'authenticated'
  if (letter === 'A') return 'attempted'
  return letter === 'N' || letter === 'R' ? 'failed' : null
}

/** Two digits; PSPs also write one digit, and N/A. */
export const eciOf = (value: string | null): string | null =>
  value !== null && /^\d{1,2}$/.test(value) ? value.padStart(2, '0') : null
