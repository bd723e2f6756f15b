import { describe, expect, test } from 'vitest'
import { CARD_SCHEMES } from '../../../../domain/chargeback.ts'
import { codesWithoutPlay } from '../../../../domain/evidence/check-playbooks.ts'
import { playbookOf } from '../../../../domain/evidence/playbooks/index.ts'
import { PLAY_IDS } from '../../../../domain/evidence/playbooks/playbook.ts'
import { playOf } from '../../../../domain/evidence/plays.ts'
import { REASON_CODE_CATALOGUE, reasonGroupOf } from '../../../../domain/reason-codes.ts'
import { CLAIMS, visa } from './evidence-input.ts'

const play = (cardScheme: 'visa' | 'mastercard' | 'amex' | 'discover' | null, reasonCode: string, reason?: string) =>
  playOf({ cardScheme, reasonCode, reason: reason ?? null, amountMinor: 1n }).play

describe('the play for a claim', () => {
  test('every reason code of the catalogue has one', () => {
    expect(codesWithoutPlay()).toEqual([])
    expect(CARD_SCHEMES.flatMap((scheme) => REASON_CODE_CATALOGUE[scheme] ?? []).length).toBeGreaterThan(100)
  })

  test('every play has a playbook', () => {
    for (const id of PLAY_IDS) expect(playbookOf(id).id).toBe(id)
    for (const id of PLAY_IDS) expect(playOf(CLAIMS[id])).toEqual({ play: id, known: true })
  })

  test.each([
    ['visa', '1040', 'fraud_cnp'],
    ['visa', '13.1', 'not_received'],
    ['visa', '12.6.2', 'other_means'],
    ['mastercard', '37', 'fraud_cnp'],
    ['mastercard', '4855', 'not_received'],
    ['amex', 'F29', 'fraud_cnp'],
    ['discover', 'UA02', 'fraud_cnp'],
  ] as const)('%s %s: %s', (scheme, code, expected) => expect(play(scheme, code)).toBe(expected))

  test.each([
    ['4512', 'duplicate', 'processing_error'],
    ['4513', 'credit', 'consumer_dispute'],
    ['4515', 'other_means', 'consumer_dispute'],
    ['4516', 'compliance', 'compliance'],
    ['4544', 'recurring', 'consumer_dispute'],
    ['4554', 'not_received', 'consumer_dispute'],
    ['4798', 'fraud_cp', 'fraud'],
    ['6006', 'fraud_cnp', 'fraud'],
  ] as const)('American Express’s former code %s: %s', (code, expected, group) => {
    expect(play('amex', code)).toBe(expected)
    expect(reasonGroupOf({ cardScheme: 'amex', reasonCode: code, reason: null })).toBe(group)
  })

  test('4534 and 4553 are codes of two schemes, and of no other', () => {
    for (const scheme of ['amex', 'discover'] as const) {
      expect([play(scheme, '4534'), play(scheme, '4553')]).toEqual(['duplicate', 'not_described'])
    }
    expect([play('mastercard', '4534'), play('visa', '4553')]).toEqual(['general', 'general'])
  })

  test('the word decides the play of 4853 and 4834; without a word, 4853 covers all of its claims', () => {
    expect(play('mastercard', '4853', 'product_not_received')).toBe('not_received')
    expect(play('mastercard', '53', 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED')).toBe('not_described')
    expect(play('mastercard', '4853')).toBe('consumer_general')
    expect(play('mastercard', '4834', 'transaction_amount_differs')).toBe('amount')
    expect(play('mastercard', '4834')).toBe('duplicate')
    expect(play('visa', '12.6', 'PAYMENT_BY_OTHER_MEANS')).toBe('other_means')
    expect(play('visa', '12.6')).toBe('duplicate')
    expect(play('visa', '12.6.1', 'PAYMENT_BY_OTHER_MEANS')).toBe('duplicate')
  })

  test('a specific code takes precedence over the word', () =>
    expect(play('visa', '13.1', 'fraudulent')).toBe('not_received'))

  test.each([
    ['fraudulent', 'fraud_cnp'],
    ['unrecognized', 'fraud_cnp'],
    ['product_unacceptable', 'not_described'],
    ['subscription_canceled', 'recurring'],
    ['CANCELED_RECURRING_BILLING', 'recurring'],
    ['credit_not_processed', 'credit'],
    ['PAYMENT_BY_OTHER_MEANS', 'other_means'],
    ['duplicate', 'duplicate'],
    ['noncompliant', 'compliance'],
  ])('a word alone, also in the code’s field: %s', (word, expected) => {
    expect(play(null, word)).toBe(expected)
    expect(play(null, '', word)).toBe(expected)
  })

  test('an unknown code is general and reported as unknown; a retrieval request without an amount is general', () => {
    expect(playOf(visa('77.7'))).toEqual({ play: 'general', known: false })
    expect(playOf({ ...visa('10.4'), amountMinor: 0n })).toEqual({ play: 'general', known: true })
  })
})
