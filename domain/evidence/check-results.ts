/** Results of the checks at authorisation, from a PSP's or client's words. Unknown words are no result. */

/**
 * Letters of the address check that mean a full match, by scheme. A letter may mean something else at another scheme:
 * at American Express, D and M are about the name, at Discover, Y is about the address alone.
 */
const FULL_MATCH: Readonly<Record<string, string>> = { visa: 'YXDFM', mastercard: 'YX', maestro: 'YX', amex: 'Y' }

export function isAddressMatch(result: string, scheme: string | null): boolean {
  const word = result.trim()
  if (word.toLowerCase() === 'match') return true
  return /^[A-Z]$/.test(word) && (FULL_MATCH[scheme ?? ''] ?? '').includes(word)
}

export const isSecurityCodeMatch = (result: string): boolean => /^(M|match|pass)$/i.test(result.trim())

export type ThreeDsResult = 'authenticated' | 'attempted' | 'failed'

/** 3-D Secure's status letters, or words; null for any other. */
export function threeDsResultOf(result: string): ThreeDsResult | null {
  if (/^(Y|authenticated)$/i.test(result.trim())) return 'authenticated'
  if (/^(A|attempted)$/i.test(result.trim())) return 'attempted'
  return /^(N|R|failed|rejected)$/i.test(result.trim()) ? 'failed' : null
}

/** How a card was read at a terminal, in words of a sentence, by `cardEntry`. */
const CARD_READ: Readonly<Record<string, string>> = {
  chip: 'the chip of the card was read',
  chip_and_pin: 'the chip of the card was read and the PIN was entered',
  chip_and_signature: 'the chip of the card was read and the customer signed',
  contactless: 'the card was read without contact',
  contactless_and_pin: 'the card was read without contact and the PIN was entered',
}

/** Null for any other word: a card that was swiped or typed in proves nothing. */
export const cardReadOf = (entry: string): string | null =>
  CARD_READ[
    entry
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_')
  ] ?? null

/** What an electronic commerce indicator says: Mastercard counts from 00, the other schemes from 07 down. */
export function threeDsResultOfEci(eci: string): ThreeDsResult | 'none' | null {
  const digits = eci.trim().padStart(2, '0')
  if (digits === '05' || digits === '02') return 'authenticated'
  if (digits === '06' || digits === '01') return 'attempted'
  return digits === '07' || digits === '00' ? 'none' : null
}
