import type { CardScheme } from '../chargeback.ts'
import { reasonCodeKey, reasonWord } from '../reason-codes.ts'
import type { PlayId } from './playbooks/playbook.ts'

/** Plays by scheme and code. A code that several claims share has the play that answers all of them. */
const CODES: Record<PlayId, Partial<Record<string, string>>> = {
  fraud_cnp: {
    visa: '10.4 83',
    mastercard: '4837 4840 4863',
    amex: 'F24 F29 4540 6006',
    discover: 'UA02 AA 7010 7030 4752',
  },
  fraud_cp: {
    visa: '10.1 10.2 10.3 57 62 81',
    mastercard: '4862 4870 4871',
    amex: 'F10 F14 F22 F30 F31 4526 4798',
    discover: 'UA01 UA05 UA06 UA10 UA11 4866 4867',
  },
  not_received: { visa: '13.1 13.9', mastercard: '4855 4859', amex: 'C08 4554', discover: 'RG NF 4755' },
  not_described: { visa: '13.3 13.4 13.5', amex: 'C31 C32 4553', discover: 'RM 8002 4553' },
  recurring: { visa: '13.2', mastercard: '4841', amex: 'C28 4544', discover: 'AP 4541' },
  credit: { visa: '13.6', mastercard: '4860', amex: 'C02 4513', discover: 'RN2' },
  cancelled: { visa: '13.7', amex: 'C04 C05 C18' },
  duplicate: { visa: '12.6 12.6.1', mastercard: '4834', amex: 'P08 4512 4534', discover: 'DP 4534' },
  other_means: { visa: '12.6.2', amex: 'C14 4515', discover: 'PM 4865' },
  amount: {
    visa: '12.1 12.2 12.3 12.4 12.5 12.7',
    mastercard: '4831 4842 4846 4850',
    amex: 'P01 P03 P04 P05 P07 P22 P23',
    discover: 'IN LP AW CD 4542 4550 4586 4753',
  },
  authorization: {
    visa: '11.1 11.2 11.3 70 71 72 73 74',
    mastercard: '4807 4808 4812 4835 4847',
    amex: 'A01 A02 A08',
    discover: 'AT DA NA EX 4863',
  },
  compliance: {
    visa: '10.5 93 98',
    mastercard: '4849',
    amex: 'R03 R13 M01 FR2 FR4 FR5 FR6 4516 4517',
    discover: 'DC 05 4762',
  },
  consumer_general: { visa: '13.8', mastercard: '4853 4854', amex: 'M10 M49', discover: '4864' },
  general: { mastercard: '4999', amex: '4573' },
}

const PLAY_OF = new Map<string, PlayId>()
for (const [play, columns] of Object.entries(CODES) as [PlayId, Record<string, string>][])
  for (const [column, codes] of Object.entries(columns))
    for (const code of codes.split(' ')) PLAY_OF.set(`${column} ${code}`, play)

/**
 * Codes whose meaning the PSP's word decides: 4834 may be about a cash machine, 4853 is ten claims, and 12.6 is either of
 * 12.6.1 and 12.6.2.
 */
const WORD_WINS = new Set(['mastercard 4834', 'mastercard 4853', 'visa 12.6'])

/** The PSPs' reason words; the first match wins. */
const WORDS: readonly [RegExp, PlayId][] = [
  [/fraud|unauthori[sz]ed|debit_not_authori[sz]ed|(^|_)(un|not_)recogni[sz]ed/, 'fraud_cnp'],
  [/no_authori[sz]ation|declined_authori[sz]ation|^authori[sz]ation/, 'authorization'],
  [/noncompliant|compliance/, 'compliance'],
  [/duplicate/, 'duplicate'],
  [/other_means/, 'other_means'],
  [/incorrect_a(mount|ccount)|amount_differs|late_presentment/, 'amount'],
  [/(cancell?ed|subscription).*(recurring|subscription|cancell?ed)/, 'recurring'],
  [/(product|merchandise|services?)_.*not_received/, 'not_received'],
  [/(product|merchandise|services?)_.*(unacceptable|unsatisfactory|not_as_described)|defective/, 'not_described'],
  [/credit_not_processed|refund_not_processed/, 'credit'],
  [/cancell?ed/, 'cancelled'],
  [/consumer_dispute/, 'consumer_general'],
]

export interface Claim {
  cardScheme: CardScheme | null
  reasonCode: string | null
  reason: string | null
  /** A retrieval request of nothing asks about the sale as a whole. */
  amountMinor: bigint
}

/** The play that answers a claim; `known` is false if neither code nor word said which. */
export function playOf({ cardScheme, reasonCode, reason, amountMinor }: Claim): { play: PlayId; known: boolean } {
  if (amountMinor === 0n) return { play: 'general', known: true }
  const key = reasonCode === null ? null : reasonCodeKey(cardScheme, reasonCode)
  const byCode = key === null ? undefined : PLAY_OF.get(key)
  const byWord = [reason, reasonCode].map(playOfWord).find((play) => play !== undefined)
  const vague = byCode === undefined || byCode === 'general' || byCode === 'consumer_general'
  const wordWins = byWord !== undefined && (vague || (key !== null && WORD_WINS.has(key)))
  const play = wordWins ? byWord : byCode
  return play === undefined ? { play: 'general', known: reasonWord(reason) === 'general' } : { play, known: true }
}

function playOfWord(text: string | null): PlayId | undefined {
  const word = reasonWord(text)
  return word === null ? undefined : WORDS.find(([pattern]) => pattern.test(word))?.[1]
}

/** Reason codes of a play by scheme, as the table of reason codes spells them. */
export const codesOf = (play: PlayId): Readonly<Partial<Record<string, string>>> => CODES[play]

/** Claims as a heading says them; a play without a narrow claim has none. */
export const CLAIM_TITLES: Readonly<Partial<Record<PlayId, string>>> = {
  fraud_cnp: 'fraud, card not present',
  fraud_cp: 'fraud, card present',
  not_received: 'goods or services not received',
  not_described: 'goods or services not as described',
  recurring: 'cancelled subscription',
  credit: 'refund not processed',
  cancelled: 'cancelled goods or services',
  duplicate: 'charged twice',
  other_means: 'paid by other means',
  consumer_general: 'consumer dispute',
  amount: 'incorrect amount, currency or data',
  authorization: 'no authorization',
}
