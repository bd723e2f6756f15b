/** Control characters except tab and line feed, bidirectional overrides and isolates, lone surrogates. */
const UNPRINTABLE = /(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu
/** 13 to 19 digits, also in groups with spaces or hyphens between them. */
const DIGITS = /(?<!\d)\d(?:[ \u00a0-]?\d){12,18}(?!\d)/g
const GROUPS_OF_DIGITS = /(?<!\d)\d+(?:[ \u00a0-]\d+)+/g
/** Groups as on a card, with dots: dates, amounts, network addresses and versions have shorter or fewer ones. */
const GROUPS_WITH_DOTS = /(?<!\d)\d{4,6}(?:\.\d{4,6})+(?:\.\d{1,3})?(?!\d)/g
/** Groups of a card number next to other numbers: nobody writes more than five. */
const MOST_GROUPS = 5

/** The code on the card's back behind its name, and the number of a passport: nobody may send them to a PSP. */
const NAMED_SECRETS = [
  /(?<=\b(?:CVC2?|CVV2?|CID|security code)\b(?: is| was)?\s*[:=#]?\s*)\d{3,4}(?!\d)/giu,
  /(?<=\bpassport(?: no\.?| number| nr\.?)?(?: is| was)?\s*[:=#]?\s*)(?=[A-Z]{0,2}\d)[A-Z\d]{6,9}(?![A-Z\d])/giu,
]

/** Text without characters that reorder or hide it: a bidirectional override could turn an amount round. */
export const printable = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(UNPRINTABLE, '')

/** Printable text with card numbers cut to their last four digits, and without security codes and passport numbers. */
export function cleanText(text: string): string {
  const named = NAMED_SECRETS.reduce((left, secret) => left.replaceAll(secret, '•••'), printable(text))
  return named
    .replaceAll(GROUPS_WITH_DOTS, withoutCards)
    .replaceAll(GROUPS_OF_DIGITS, withoutCards)
    .replaceAll(DIGITS, (found) => (passesLuhn(found.replaceAll(/\D/g, '')) ? lastDigits(found) : found))
}

const lastDigits = (number: string) => `•••• ${number.replaceAll(/\D/g, '').slice(-4)}`

/** Other numbers may stand next to a card number: a date, or the month in which it expires. */
function withoutCards(run: string): string {
  // Groups of digits at even places, separators between them.
  const parts = run.split(/([ \u00a0.-])/)
  let text = ''
  for (let at = 0; at < parts.length; ) {
    const end = at % 2 === 0 ? endOfCard(parts, at) : null
    text += end === null ? parts[at] : lastDigits(parts.slice(at, end).join(''))
    at = end ?? at + 1
  }
  return text
}

/** The place after the card number that begins here; null if none does. */
function endOfCard(parts: readonly string[], from: number): number | null {
  let digits = ''
  for (let at = from; at < parts.length && at < from + 2 * MOST_GROUPS; at += 2) {
    digits += parts[at]
    if (isCardNumber(digits)) return at + 1
  }
  return null
}

/** Card numbers by first digits and length, because one tracking number in ten passes the Luhn check by chance. */
const CARD =
  /^(4(\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|3[068]\d{12}|35\d{14}|(6011|64|65|62)\d{12,14})$/

/** Whether an identifier is a card number. Identifiers are never shortened, so such a one must not be used. */
export function isCardNumber(text: string): boolean {
  const digits = text.replaceAll(/[ \u00a0.-]/g, '')
  return CARD.test(digits) && digits.length <= 19 && passesLuhn(digits)
}

function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index])
    const doubled = index % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** Characters of a quotation in a sentence. */
const QUOTED = 600

/** One line for a sentence: white space folded; of a longer text whole words, then `[…]`. */
export function excerpt(text: string, most = QUOTED): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim()
  if (line.length <= most) return line
  const cut = line.slice(0, most - 4)
  const space = cut.lastIndexOf(' ')
  // A word without an end: keep whole characters.
  const whole = space > 0 ? cut.slice(0, space) : cut.replace(/\p{Surrogate}$/u, '')
  return `${whole} […]`
}
