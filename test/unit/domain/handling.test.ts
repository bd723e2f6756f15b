import { describe, expect, test } from 'vitest'
import type { PspStatus, Status } from '../../../domain/chargeback.ts'
import type { HandlingInput } from '../../../domain/handling.ts'
import { days, now, seen, stored } from './handling-input.ts'

describe('a chargeback seen for the first time', () => {
  test('waits for data when it is in scope, live, handled and open', () => {
    expect(seen()).toEqual({
      status: 'waiting_for_data',
      reason: 'More data is needed to build evidence.',
      round: 1,
    })
  })

  test.each([
    ['out of scope', { outOfScope: 'Scope rule 3: cardSchemes visa.' }, 'Scope rule 3: cardSchemes visa.'],
    ['posted before go-live', { live: { goLiveDate: days(-4), waits: false } }, 'before the go-live date'],
    ['waiting for the operator’s go-live', { live: { goLiveDate: null, waits: true } }, 'waits for its go-live'],
    ['posted after deactivation', { deactivation: { type: 'postingDate', date: days(-6) } }, 'deactivated'],
    ['due after deactivation', { deactivation: { type: 'dueDate', date: days(-6) } }, 'deactivated'],
    ['excluded by the contract', { represent: false }, 'contract'],
    ['past its due date', { dueDate: days(-1) }, 'due date passed'],
    ['that needs no response at the PSP', { pspStatus: 'not_applicable' }, 'asks for no answer'],
    ['of unknown PSP status', { pspStatus: 'unknown' }, 'does not ask'],
  ] as [string, Partial<HandlingInput>, string][])(
    '%s is not represented, and its reason says why',
    (_, change, why) => {
      expect(seen(change).status).toBe('not_represented')
      expect(seen(change).reason).toContain(why)
    },
  )

  test.each(['under_review', 'won', 'lost', 'split', 'evidence_not_submitted_by_psp'] as PspStatus[])(
    'already %s, waits for the PSP’s results',
    (pspStatus) => {
      expect(seen({ pspStatus, dueDate: days(-20) }).status).toBe('pending_psp_results')
    },
  )

  test('already decided but before go-live, is not represented', () => {
    expect(seen({ pspStatus: 'won', live: { goLiveDate: now, waits: false } }).status).toBe('not_represented')
  })
})

describe('dates that decide about handling', () => {
  test('posted at the instant of go-live is handled', () => {
    expect(seen({ live: { goLiveDate: days(-5), waits: false } }).status).toBe('waiting_for_data')
  })

  test('without a posting date it counts as of today', () => {
    expect(seen({ postingDate: null, live: { goLiveDate: days(-1), waits: false } }).status).toBe('waiting_for_data')
    expect(seen({ postingDate: null, live: { goLiveDate: days(1), waits: false } }).status).toBe('not_represented')
  })

  test('a deactivation in the future changes nothing yet', () => {
    expect(seen({ deactivation: { type: 'dueDate', date: days(1) } }).status).toBe('waiting_for_data')
  })

  test('posted before the deactivation it is still handled', () => {
    expect(seen({ deactivation: { type: 'postingDate', date: days(-1) } }).status).toBe('waiting_for_data')
  })
})

describe('waiting_for_data → building_evidence', () => {
  test.each([
    ['enrichment reaches the threshold', { enrichmentRatio: 0.8 }],
    ['the data window closes', { dueDate: days(3) }],
    ['the account’s own data window closes', { dueDate: days(5), dataWindowHours: 120 }],
    ['the client decides to fight', { shouldFight: true }],
  ] as [string, Partial<HandlingInput>][])('when %s', (_, change) => {
    expect(stored('waiting_for_data', change).status).toBe('building_evidence')
  })

  test('not before', () => {
    const change = { enrichmentRatio: 0.7999, dueDate: days(3.01) }
    expect(stored('waiting_for_data', change).status).toBe('waiting_for_data')
  })
})

describe('building_evidence', () => {
  test('→ pending_psp_results when a submission succeeded', () => {
    const change = { submitted: true, pspStatus: 'under_review' as const }
    expect(stored('building_evidence', change)).toMatchObject({
      status: 'pending_psp_results',
      reason: 'Evidence was submitted.',
    })
  })

  test('→ waiting_for_data when required data was erased', () => {
    expect(stored('building_evidence', { enrichmentRatio: 0.1 }).status).toBe('waiting_for_data')
  })

  test('stays while its data is complete', () => {
    expect(stored('building_evidence', { enrichmentRatio: 1 }).status).toBe('building_evidence')
  })
})

describe.each(['waiting_for_data', 'building_evidence'] as const)('%s', (status) => {
  const enrichmentRatio = status === 'building_evidence' ? 1 : 0

  test.each([
    ['should-fight is false', { shouldFight: false }],
    ['an acceptance succeeded', { accepted: true, pspStatus: 'lost' }],
    ['a scope rule excludes it', { outOfScope: 'Scope rule 3: cardSchemes visa.' }],
    ['the due date passed', { dueDate: days(-0.001) }],
    ['its merchant was deactivated', { deactivation: { type: 'dueDate', date: now } }],
    ['the PSP reports lost though nothing was submitted', { pspStatus: 'lost' }],
    ['the PSP let staged evidence lapse', { pspStatus: 'evidence_not_submitted_by_psp' }],
    ['the PSP no longer needs a response', { pspStatus: 'not_applicable' }],
  ] as [string, Partial<HandlingInput>][])('→ not_represented when %s', (_, change) => {
    expect(stored(status, { enrichmentRatio, ...change }).status).toBe('not_represented')
  })

  test.each(['under_review', 'won', 'split'] as const)('→ pending_psp_results when the PSP reports %s', (pspStatus) => {
    expect(stored(status, { enrichmentRatio, pspStatus, dueDate: days(-9) }).status).toBe('pending_psp_results')
  })

  test('stays while the PSP reports an unknown status, until it is due', () => {
    expect(stored(status, { enrichmentRatio, pspStatus: 'unknown' }).status).toBe(status)
    const late = { enrichmentRatio, pspStatus: 'unknown', dueDate: days(-1) } as const
    expect(stored(status, late).status).toBe('not_represented')
  })
})

describe('not_represented', () => {
  test.each([
    ['the client decides to fight', { shouldFight: true, outOfScope: 'Scope rule 3.' }, 'building_evidence'],
    ['the rule is deleted', {}, 'waiting_for_data'],
    ['the rule is deleted and the data is complete', { enrichmentRatio: 1 }, 'building_evidence'],
  ] as [string, Partial<HandlingInput>, Status][])('is handled again when %s', (_, change, expected) => {
    expect(stored('not_represented', change).status).toBe(expected)
  })

  test.each([
    ['the rule still exists', { outOfScope: 'Scope rule 3.' }],
    ['it was accepted', { accepted: true, shouldFight: true }],
    ['its due date passed', { shouldFight: true, dueDate: days(-1) }],
    ['it is lost', { shouldFight: true, pspStatus: 'lost' }],
    ['it is under review without a submission of ours', { pspStatus: 'under_review' }],
  ] as [string, Partial<HandlingInput>][])('stays when %s', (_, change) => {
    expect(stored('not_represented', change).status).toBe('not_represented')
  })

  test('→ pending_psp_results when evidence was submitted nevertheless', () => {
    const change = { submitted: true, outOfScope: 'Scope rule 3.', pspStatus: 'under_review' } as const
    expect(stored('not_represented', change).status).toBe('pending_psp_results')
  })

  test('keeps its reason once it can’t be contested', () => {
    expect(stored('not_represented', { pspStatus: 'lost' }).reason).toBe('stored')
  })
})

describe('an explicit should-fight', () => {
  test.each([
    ['a scope rule', { outOfScope: 'Scope rule 3.' }],
    ['the contract', { represent: false }],
    ['the go-live date', { live: { goLiveDate: days(1), waits: false } }],
  ] as [string, Partial<HandlingInput>][])('overrides %s', (_, change) => {
    expect(seen({ ...change, shouldFight: true }).status).toBe('building_evidence')
  })

  test('also applies without a rule', () => {
    expect(seen({ shouldFight: false, enrichmentRatio: 1 }).status).toBe('not_represented')
  })

  test('does not override a deactivation', () => {
    const deactivation = { type: 'postingDate', date: days(-6) } as const
    expect(seen({ shouldFight: true, deactivation }).status).toBe('not_represented')
  })
})
