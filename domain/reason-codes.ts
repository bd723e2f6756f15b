import type { CardScheme, ReasonGroup } from './chargeback.ts'

type Column = 'visa' | 'mastercard' | 'amex' | 'discover'

/**
 * The schemes' dispute conditions by reason group (docs/interface.md#reason-groups); withdrawn codes are kept because
 * old cases and some acquirers still name them. Always by (scheme, code): 4863 is fraud at Mastercard and
 * authorization at Discover; 4534 and 4553 are American Express's and Discover's.
 */
const TABLE: Record<Exclude<ReasonGroup, 'general'>, Record<Column, string>> = {
  fraud: {
    visa: '10.1 10.2 10.3 10.4 10.5 57 62 81 83 93',
    mastercard: '4837 4840 4847 4849 4862 4863 4870 4871',
    amex: 'F10 F14 F22 F24 F29 F30 F31 FR2 FR4 FR5 FR6 4526 4540 4573 4798 6006',
    discover: 'UA01 UA02 UA05 UA06 UA10 UA11 AA 7010 7030 4752 4866 4867',
  },
  authorization: {
    visa: '11.1 11.2 11.3 70 71 72 73 74',
    mastercard: '4807 4808 4812 4835',
    amex: 'A01 A02 A08',
    discover: 'AT DA NA EX 4863',
  },
  processing_error: {
    visa: '12.1 12.2 12.3 12.4 12.5 12.6 12.6.1 12.6.2 12.7',
    mastercard: '4831 4834 4842 4846 4850 4999',
    amex: 'P01 P03 P04 P05 P07 P08 P22 P23 4512 4534',
    discover: 'IN LP AW CD DP PM 4534 4542 4550 4586 4753 4865',
  },
  consumer_dispute: {
    visa: '13.1 13.2 13.3 13.4 13.5 13.6 13.7 13.8 13.9',
    mastercard: '4841 4853 4854 4855 4859 4860',
    amex: 'C02 C04 C05 C08 C14 C18 C28 C31 C32 M10 M49 4513 4515 4544 4553 4554',
    discover: 'RG RM RN2 AP NF 4541 4553 4755 4864 8002',
  },
  compliance: { visa: '98', mastercard: '', amex: 'R03 R13 M01 4516 4517', discover: 'DC 05 4762' },
}

/** The column of a scheme's codes: Diners uses Discover's network, Maestro Mastercard's. */
const COLUMN_OF: Partial<Record<CardScheme, Column>> = {
  visa: 'visa',
  mastercard: 'mastercard',
  maestro: 'mastercard',
  amex: 'amex',
  discover: 'discover',
  diners: 'discover',
}

const GROUPS = new Map<string, ReasonGroup>()
for (const [group, columns] of Object.entries(TABLE) as [ReasonGroup, Record<Column, string>][])
  for (const [column, codes] of Object.entries(columns))
    for (const code of codes.split(' ').filter(Boolean)) GROUPS.set(`${column} ${code}`, group)

/** Every code of the table by scheme, sorted. */
export const REASON_CODE_CATALOGUE: Partial<Record<CardScheme, readonly string[]>> = Object.fromEntries(
  Object.entries(COLUMN_OF).map(([scheme, column]) => [
    scheme,
    [...GROUPS.keys()].flatMap((key) => (key.startsWith(`${column} `) ? [key.slice(column.length + 1)] : [])).sort(),
  ]),
)

/** All codes of the table without duplicates, sorted. */
export const REASON_CODES: readonly string[] = [...new Set(Object.values(REASON_CODE_CATALOGUE).flat())].sort()

/** Spellings of a Visa condition at PSPs: 10.4, 104, 1040, V1040, 12.6.1, 1261. A last digit of 0 means "no part". */
const VISA_CONDITION = /^V?(1[0-3])\.?([1-9])(?:\.?(\d))?$/

/** A reason code in the table's spelling; an unknown code is trimmed and upper-cased. */
export function normaliseReasonCode(scheme: CardScheme | null, code: string): string {
  const text = code.trim().toUpperCase()
  const column = scheme ? COLUMN_OF[scheme] : undefined
  if (column === 'visa') {
    const [, category, condition, part = '0'] = VISA_CONDITION.exec(text) ?? []
    if (category) return part === '0' ? `${category}.${condition}` : `${category}.${condition}.${part}`
  }
  // Mastercard's message reason codes are 48xx; some PSPs (Braintree: "37") give the last two digits.
  if (column === 'mastercard' && /^\d\d$/.test(text)) return `48${text}`
  if (column === 'discover' && /^\d$/.test(text)) return `0${text}`
  return text
}

/** Column and code, such as `visa 10.4`: the key of tables by reason code. Null for a scheme without a column. */
export function reasonCodeKey(scheme: CardScheme | null, code: string): string | null {
  const column = scheme ? COLUMN_OF[scheme] : undefined
  return column ? `${column} ${normaliseReasonCode(scheme, code)}` : null
}

/**
 * The stored form of a code, so that one scope rule matches it for every PSP: the table's spelling if the scheme's
 * column has it, else the PSP's own, because the field may hold a word.
 */
export function storedReasonCode(scheme: CardScheme | null, code: string): string {
  const column = scheme ? COLUMN_OF[scheme] : undefined
  const normalised = normaliseReasonCode(scheme, code)
  return column && GROUPS.has(`${column} ${normalised}`) ? normalised : code.trim()
}

/**
 * Reason words of PSPs without a network code (`reason` at Stripe, PayPal and Braintree); the first match on the
 * lower-case word with underscores wins.
 */
const WORDS: readonly [RegExp, ReasonGroup][] = [
  [/fraud|unauthori[sz]ed|debit_not_authori[sz]ed|(^|_)(un|not_)recogni[sz]ed/, 'fraud'],
  [/no_authori[sz]ation|declined_authori[sz]ation|^authori[sz]ation/, 'authorization'],
  [/noncompliant|compliance/, 'compliance'],
  [
    /duplicate|incorrect_a(mount|ccount)|amount_differs|other_means|remittance|invalid_account|insufficient_funds/,
    'processing_error',
  ],
  [/bank_cannot_process|check_returned|processing_error|late_presentment/, 'processing_error'],
  [/(product|merchandise|services?)_.*(not_received|unacceptable|unsatisfactory|not_as_described)/, 'consumer_dispute'],
  [/credit_not_processed|refund_not_processed|cancell?ed|consumer_dispute|defective/, 'consumer_dispute'],
]

/** A PSP's reason word in lower case with underscores; null without one. */
export const reasonWord = (text: string | null): string | null =>
  text
    ?.trim()
    .toLowerCase()
    .replace(/[^a-z]+/g, '_') || null

/**
 * The reason group: by (scheme, code) first, else by the PSP's reason word, else `general`. Both fields are read,
 * because PSPs without network codes put their word in the code field.
 */
export function reasonGroupOf(chargeback: {
  cardScheme: CardScheme | null
  reasonCode: string | null
  reason: string | null
}): ReasonGroup {
  const { cardScheme, reasonCode, reason } = chargeback
  const column = cardScheme ? COLUMN_OF[cardScheme] : undefined
  if (column && reasonCode !== null) {
    const group = GROUPS.get(`${column} ${normaliseReasonCode(cardScheme, reasonCode)}`)
    if (group) return group
  }
  for (const text of [reason, reasonCode]) {
    const word = reasonWord(text)
    const match = word && WORDS.find(([pattern]) => pattern.test(word))
    if (match) return match[1]
  }
  return 'general'
}
