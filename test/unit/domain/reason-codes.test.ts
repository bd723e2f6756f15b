import { describe, expect, test } from 'vitest'
import { CARD_SCHEMES, type CardScheme, REASON_GROUPS } from '../../../domain/chargeback.ts'
import {
  normaliseReasonCode,
  REASON_CODE_CATALOGUE,
  REASON_CODES,
  reasonGroupOf,
  storedReasonCode,
} from '../../../domain/reason-codes.ts'

const group = (cardScheme: CardScheme | null, reasonCode: string | null, reason: string | null = null) =>
  reasonGroupOf({ cardScheme, reasonCode, reason })

/** The table of reason groups, repeated here on purpose to check every cell. */
const TABLE: [(typeof REASON_GROUPS)[number], CardScheme, string][] = [
  ['fraud', 'visa', '10.1 10.2 10.3 10.4 10.5 57 62 81 83 93'],
  ['fraud', 'mastercard', '4837 4840 4847 4849 4862 4863 4870 4871'],
  ['fraud', 'amex', 'F10 F14 F22 F24 F29 F30 F31 FR2 FR4 FR5 FR6 4526 4540 4573'],
  ['fraud', 'discover', 'UA01 UA02 UA05 UA06 UA10 UA11 AA 7010 7030 4752 4866 4867'],
  ['authorization', 'visa', '11.1 11.2 11.3 70 71 72 73 74'],
  ['authorization', 'mastercard', '4807 4808 4812 4835'],
  ['authorization', 'amex', 'A01 A02 A08'],
  ['authorization', 'discover', 'AT DA NA EX 4863'],
  ['processing_error', 'visa', '12.1 12.2 12.3 12.4 12.5 12.6 12.6.1 12.6.2 12.7'],
  ['processing_error', 'mastercard', '4831 4834 4842 4846 4850 4999'],
  ['processing_error', 'amex', 'P01 P03 P04 P05 P07 P08 P22 P23'],
  ['processing_error', 'discover', 'IN LP AW CD DP PM 4534 4542 4550 4586 4753 4865'],
  ['consumer_dispute', 'visa', '13.1 13.2 13.3 13.4 13.5 13.6 13.7 13.8 13.9'],
  ['consumer_dispute', 'mastercard', '4841 4853 4854 4855 4859 4860'],
  ['consumer_dispute', 'amex', 'C02 C04 C05 C08 C14 C18 C28 C31 C32 M10 M49'],
  ['consumer_dispute', 'discover', 'RG RM RN2 AP NF 4541 4553 4755 4864 8002'],
  ['compliance', 'visa', '98'],
  ['compliance', 'amex', 'R03 R13 M01'],
  ['compliance', 'discover', 'DC 05 4762'],
  ['fraud', 'amex', '4798 6006'],
  ['processing_error', 'amex', '4512 4534'],
  ['consumer_dispute', 'amex', '4513 4515 4544 4553 4554'],
  ['compliance', 'amex', '4516 4517'],
]

describe('reason group by scheme and code', () => {
  test.each(TABLE)('%s at %s: %s', (expected, scheme, codes) => {
    for (const code of codes.split(' ')) expect([code, group(scheme, code)]).toEqual([code, expected])
  })

  test('Mastercard has no compliance code', () => {
    expect(REASON_CODE_CATALOGUE.mastercard?.filter((code) => group('mastercard', code) === 'compliance')).toEqual([])
  })

  test('the meaning of a code depends on its scheme', () => {
    expect(group('mastercard', '4863')).toBe('fraud')
    expect(group('discover', '4863')).toBe('authorization')
    expect(group('diners', '4863')).toBe('authorization')
  })

  test('a code without its scheme is general', () => {
    expect(group(null, '10.4')).toBe('general')
    expect(group('jcb', '4837')).toBe('general')
  })

  test('the code takes precedence over the PSP’s word', () => {
    expect(group('visa', '13.1', 'fraudulent')).toBe('consumer_dispute')
  })
})

describe('spellings of a code', () => {
  test.each([
    ['visa', '104', '10.4'],
    ['visa', 'V1040', '10.4'],
    ['visa', ' 10.4 ', '10.4'],
    ['visa', '1261', '12.6.1'],
    ['visa', '12.6.2', '12.6.2'],
    ['visa', '83', '83'],
    ['mastercard', '37', '4837'],
    ['mastercard', '4837', '4837'],
    ['amex', 'f29', 'F29'],
    ['discover', '5', '05'],
    ['discover', 'ua02', 'UA02'],
    [null, ' fraudulent', 'FRAUDULENT'],
  ] as const)('%s %j is %s', (scheme, code, expected) => {
    expect(normaliseReasonCode(scheme, code)).toBe(expected)
  })

  test.each([
    ['visa', 'V1040', '10.4'],
    ['mastercard', '37', '4837'],
    ['visa', 'goods_not_received', 'goods_not_received'],
    ['jcb', 'v1040 ', 'v1040'],
    [null, ' fraudulent', 'fraudulent'],
  ] as const)('%s %j is stored as %s: a code that the table lacks is not changed', (scheme, code, expected) => {
    expect(storedReasonCode(scheme, code)).toBe(expected)
  })

  test('normalising twice changes nothing', () => {
    for (const scheme of CARD_SCHEMES)
      for (const code of REASON_CODES) {
        const once = normaliseReasonCode(scheme, code)
        expect(normaliseReasonCode(scheme, once)).toBe(once)
      }
  })
})

describe('reason group by the PSP’s word', () => {
  test.each([
    ['fraudulent', 'fraud'],
    ['unrecognized', 'fraud'],
    ['UNAUTHORISED', 'fraud'],
    ['debit_not_authorized', 'fraud'],
    ['No Authorization', 'authorization'],
    ['duplicate', 'processing_error'],
    ['bank_cannot_process', 'processing_error'],
    ['insufficient_funds', 'processing_error'],
    ['PAYMENT_BY_OTHER_MEANS', 'processing_error'],
    ['product_not_received', 'consumer_dispute'],
    ['MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED', 'consumer_dispute'],
    ['CANCELED_RECURRING_BILLING', 'consumer_dispute'],
    ['subscription_canceled', 'consumer_dispute'],
    ['noncompliant', 'compliance'],
    ['customer_initiated', 'general'],
    ['OTHER', 'general'],
    ['a word of tomorrow', 'general'],
  ])('%s is %s', (word, expected) => {
    expect(group('visa', null, word)).toBe(expected)
    expect(group(null, word)).toBe(expected)
  })

  test('no code and no word is general', () => {
    expect(group(null, null)).toBe('general')
  })
})

describe('catalogue of codes', () => {
  test('is sorted, without repetition, and each code has a group other than general', () => {
    for (const [scheme, codes] of Object.entries(REASON_CODE_CATALOGUE)) {
      expect(codes).toEqual([...new Set(codes)].sort())
      for (const code of codes) expect(group(scheme as CardScheme, code)).not.toBe('general')
    }
    expect(REASON_CODES).toEqual([...new Set(REASON_CODES)].sort())
    expect(REASON_CODES).toEqual(expect.arrayContaining(['10.4', '4837', 'C08', 'UA02']))
  })

  test('every group but general has codes', () => {
    const groups = new Set(TABLE.map(([name]) => name))
    expect(REASON_GROUPS.filter((name) => !groups.has(name))).toEqual(['general'])
  })
})
