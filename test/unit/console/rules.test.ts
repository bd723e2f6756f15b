import { describe, expect, it, test } from 'vitest'
import { isOpen, OUTCOMES, outcomeText } from '../../../console/alerts/data.ts'
import { changesOf, linkOf, whoOf } from '../../../console/audit/data.ts'
import {
  BLOCKERS as BLOCKER_WORDS,
  ownPolicyOf,
  policyDraftOf,
  policyFaults,
  policyText,
  readAmounts,
} from '../../../console/rules/policy-data.ts'
import {
  bodyOf,
  clearedBy,
  DIMENSIONS,
  draftOf,
  reasonText,
  scopeFaults,
  textOf,
} from '../../../console/rules/scope-data.ts'
import { ALERT_OUTCOMES } from '../../../domain/alert.ts'
import { BLOCKERS } from '../../../domain/evidence/package/blockers.ts'
import { WORD_DIMENSIONS } from '../../../domain/scope-options.ts'

describe('rules of scope', () => {
  const rules = { cardSchemes: ['visa', 'amex'], chargebackAmount: { min: 20.5 } } as const

  it('are the same after reading and writing, whatever the order', () => {
    const draft = draftOf({ ...rules, cardSchemes: [...rules.cardSchemes] })
    expect(bodyOf(draft)).toEqual({ cardSchemes: ['amex', 'visa'], chargebackAmount: { min: 20.5 } })
    expect(textOf(draft)).toBe(textOf(draftOf({ cardSchemes: ['amex', 'visa'], chargebackAmount: { min: 20.5 } })))
    expect(bodyOf(draftOf({}))).toEqual({})
    expect(Object.keys(DIMENSIONS).sort()).toEqual([...WORD_DIMENSIONS].sort())
  })

  const unread = 'Write an amount like 20 or 20.50.'
  it.each([
    [{ min: '20', max: '' }, {}],
    [{ min: '', max: '5000.50' }, {}],
    [{ min: '20', max: '19' }, { min: 'The smallest must not be above the largest.' }],
    [{ min: '-1', max: '' }, { min: unread }],
    [{ min: '1e9', max: '' }, { min: unread }],
    [{ min: '', max: '1,000' }, { max: unread }],
    [{ min: '20', max: '1e1' }, { max: unread }],
  ])('amounts %j: %j', (amounts, expected) => {
    expect(scopeFaults({ ...draftOf({}), ...amounts })).toEqual(expected)
  })

  it('names what is cleared', () => {
    const now = draftOf({ cardSchemes: ['amex'], chargebackAmount: { min: 1 } })
    expect(clearedBy(draftOf({}), now)).toEqual(['Card schemes', 'Amounts'])
    expect(clearedBy(now, draftOf({}))).toEqual([])
  })

  it('a reason is a rule or a sentence', () => {
    const total = { count: 1, amounts: [] }
    expect(reasonText({ dimension: 'cardSchemes', value: 'amex', ...total })).toBe('Card schemes: American Express')
    expect(reasonText({ dimension: 'chargebackAmount', ...total })).toBe('Amount')
    expect(reasonText({ reason: 'Overdue.', ...total })).toBe('Overdue.')
  })
})

describe('policy of automatic submission', () => {
  it('is the same after reading and writing; what is empty is the account’s', () => {
    const own = { mode: 'auto', hoursBeforeDue: 48, minCompleteness: 0.755, minAmount: { EUR: 20.5 } } as const
    expect(ownPolicyOf(policyDraftOf(own))).toEqual(own)
    expect(ownPolicyOf(policyDraftOf({}))).toEqual({})
    expect(policyText(policyDraftOf({ plays: ['general', 'amount'] }))).toBe(
      policyText(policyDraftOf({ plays: ['amount', 'general'] })),
    )
  })

  it.each([
    [{ hours: '29' }, ['hours']],
    [{ hours: '240' }, []],
    [{ completeness: '101' }, ['completeness']],
    [{ completeness: '0' }, []],
    [{ amounts: 'EUR' }, ['amounts']],
    [{ amounts: 'EUR 1, eur 2' }, ['amounts']],
    [{ amounts: 'eur 20, USD 25.50' }, []],
    [{ plays: [] }, ['plays']],
  ])('%j has faults in %j', (change, expected) => {
    expect(Object.keys(policyFaults({ ...policyDraftOf({}), ...change }))).toEqual(expected)
  })

  it('reads amounts, and has words for everything that stops a submission', () => {
    expect(readAmounts('eur 20, USD 25.50')).toEqual({ EUR: 20, USD: 25.5 })
    expect(readAmounts('__proto__ 1')).toBeNull()
    expect(Object.keys(BLOCKER_WORDS).sort()).toEqual([...BLOCKERS].sort())
  })
})

test('outcomes of alerts: words for all that are no codes, and which may be replaced', () => {
  expect(Object.keys(OUTCOMES).sort()).toEqual(ALERT_OUTCOMES.filter((one) => !/^\d+$/.test(one)).sort())
  expect([{}, { outcome: 'in_progress' as const }, { outcome: 'stopped' as const }].map(isOpen)).toEqual([
    true,
    true,
    false,
  ])
  expect([outcomeText('in_progress'), outcomeText('957')]).toEqual(['Somebody works on it', 'code 957'])
})

describe('audit', () => {
  const me = { credentialId: '0198c5a4-3333-7d60-9a55-2f4b1f6f7d10' }
  const entry = { when: '', what: '', subject: 'chargeback', subjectId: 'x', by: 'client' } as const

  it('says who', () => {
    expect(whoOf({ ...entry, ...me, credentialName: 'Jana' }, me)).toBe('Jana (you)')
    const other = '0198c5a4-3333-7d60-9a55-2f4b1f6abcde'
    expect(whoOf({ ...entry, credentialId: other }, me)).toBe('credential …6abcde')
    expect(whoOf({ ...entry, credentialId: other, credentialName: 'unnamed' }, me)).toBe('credential …6abcde')
    expect(whoOf(entry, me)).toBe('a client')
    expect(whoOf({ ...entry, by: 'operator' }, me)).toBe('the operator')
  })

  it('shows what changed, without ids and empty values', () => {
    const after = { credentialId: '1', status: 'b', automaticSubmission: {}, note: null }
    expect(changesOf({ before: { status: 'a' }, after })).toEqual([['status', 'a', 'b']])
    expect(changesOf({})).toEqual([])
    expect(linkOf({ subject: 'merchant', subjectId: 'x' })).toBeUndefined()
    expect(linkOf({ subject: 'webhook_endpoint', subjectId: 'x' })).toBe('/console/webhooks/x')
  })
})
