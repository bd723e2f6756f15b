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
    ['ended before anything was tried', { operation: null, ends: ended('failed'), calls: 0, effects: 0 }],
    ['still open', { operation: operation('outcome_unknown', 'unknown'), ends: [], calls: 1, effects: 0 }],
    [
      'told by an operator',
      { operation: operation('told by an operator'), ends: ended('succeeded'), calls: 1, effects: 1 },
    ],
  ])('%s: nothing is wrong', (_, account) => expect(againstCallLog(account)).toEqual([]))

  test.each<[string, Account, string]>([
    [
      // What a Stripe dispute that the bank had decided looked like: done, and nobody had called.
      'applied without a call',
      { operation: operation(APPLIED), ends: ended('succeeded'), calls: 0, effects: 0 },
      'the ledger says applied, and the PSP was never called',
    ],
    [
      'a success without a call',
      { operation: null, ends: ended('succeeded'), calls: 0, effects: 0 },
      'the timeline tells of a success as ours, and the PSP was never called',
    ],
    [
      'an effect of ours that is called found',
      { operation: operation(FOUND), ends: ended('succeeded', true), calls: 1, effects: 1 },
      'the ledger says found at the PSP, where a call of ours did it',
    ],
    [
      'an effect that the ledger calls refused',
      { operation: operation('impossible', 'rejected'), ends: ended('succeeded'), calls: 1, effects: 1 },
      'a call of ours took effect, and the ledger says rejected',
    ],
    [
      'an effect without a line in the timeline',
      { operation: operation(APPLIED), ends: [], calls: 1, effects: 1 },
      'a call of ours took effect, told 0 times',
    ],
    [
      'an effect that is told as a failure',
      { operation: operation(APPLIED), ends: ended('failed'), calls: 1, effects: 1 },
      'a call of ours took effect, told 0 times',
    ],
  ])('%s is seen', (_, account, sentence) => expect(againstCallLog(account)).toContain(sentence))
})
