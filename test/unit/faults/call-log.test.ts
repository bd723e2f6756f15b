import { describe, expect, test } from 'vitest'
import { APPLIED, FOUND } from '../../../db/commands/psp-operations.ts'
import { type Account, againstCallLog } from '../../faults/invariants/call-log.ts'

const operation = (outcome: string, state = 'confirmed') => ({ state, outcome })
const ended = (end: 'succeeded' | 'failed', foundAtPsp = false) => [{ what: `acceptance ${end}`, foundAtPsp }]

describe('ledger and timeline against the call log of the PSP', () => {
  test.each<[string, Account]>([
    ['applied', { operation: operation(APPLIED), ends: ended('succeeded'), calls: 1, effects: 1 }],
    ['applied after two calls', { operation: operation(APPLIED), ends: ended('succeeded'), calls: 2, effects: 1 }],
    ['found at the PSP', { operation: operation(FOUND), ends: ended('succeeded', true), calls: 0, effects: 0 }],
    [
      'refused before any call',
      { operation: operation('impossible', 'rejected'), ends: ended('failed'), calls: 0, effects: 0 },
    ],
    ['failed before any attempt', { operation: null, ends: ended('failed'), calls: 0, effects: 0 }],
    ['still open', { operation: operation('outcome_unknown', 'unknown'), ends: [], calls: 1, effects: 0 }],
    [
      'reported by an operator',
      { operation: operation('told by an operator'), ends: ended('succeeded'), calls: 1, effects: 1 },
    ],
  ])('%s: no violation', (_, account) => expect(againstCallLog(account)).toEqual([]))

  test.each<[string, Account, string]>([
    [
      // Seen with a Stripe dispute that the bank had decided: it is closed at Stripe without a call.
      'applied without a call',
      { operation: operation(APPLIED), ends: ended('succeeded'), calls: 0, effects: 0 },
      'the ledger says applied, and the PSP was never called',
    ],
    [
      'a success without a call',
      { operation: null, ends: ended('succeeded'), calls: 0, effects: 0 },
      'the timeline reports a success as ours, and the PSP was never called',
    ],
    [
      'an effect of our call that the ledger records as found',
      { operation: operation(FOUND), ends: ended('succeeded', true), calls: 1, effects: 1 },
      'the ledger says found at the PSP, where a call of ours did it',
    ],
    [
      'an effect that the ledger records as refused',
      { operation: operation('impossible', 'rejected'), ends: ended('succeeded'), calls: 1, effects: 1 },
      'a call of ours took effect, and the ledger says rejected',
    ],
    [
      'an effect without a timeline entry',
      { operation: operation(APPLIED), ends: [], calls: 1, effects: 1 },
      'a call of ours took effect, reported 0 times',
    ],
    [
      'an effect that the timeline reports as a failure',
      { operation: operation(APPLIED), ends: ended('failed'), calls: 1, effects: 1 },
      'a call of ours took effect, reported 0 times',
    ],
  ])('%s is detected', (_, account, sentence) => expect(againstCallLog(account)).toContain(sentence))
})
