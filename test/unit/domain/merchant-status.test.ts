import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  MERCHANT_STATUSES,
  type MerchantStatusInput,
  merchantStatus,
} from '../../../domain/accounts/merchant-status.ts'
import { INTEGRATION_STATUSES } from '../../../domain/integration.ts'

const now = new Date('2026-03-10T00:00:00Z')
const past = new Date('2026-03-01T00:00:00Z')
const future = new Date('2026-04-01T00:00:00Z')

const live = { status: 'SUCCESSFUL', goLiveDate: null, goLiveWaits: false } as const
const liveSince = { ...live, goLiveDate: past }
const scheduled = { ...live, goLiveDate: future }
const awaiting = { ...live, goLiveWaits: true }
const failed = { ...live, status: 'FAILED' } as const
const pending = { ...live, status: 'PENDING' } as const
const inactive = { ...live, status: 'INACTIVE' } as const

const status = (integrations: MerchantStatusInput['integrations'], change: Partial<MerchantStatusInput> = {}) =>
  merchantStatus({ now, activationDate: null, deactivationDate: null, integrations, ...change })

describe('merchant status', () => {
  test.each([
    ['no integration', [], 'SetupIncomplete'],
    ['only inactive ones', [inactive, inactive], 'SetupIncomplete'],
    ['the only one failed', [failed, inactive], 'IntegrationError'],
    ['several, all failed', [failed, failed], 'AllIntegrationDown'],
    ['all pending', [pending, pending], 'AllIntegrationValidate'],
    ['some live, some failed', [live, failed], 'PartiallyActiveByError'],
    ['some live, some failed, some pending', [live, failed, pending], 'PartiallyActiveByError'],
    ['some live, some pending', [live, pending], 'PartiallyActiveByValidation'],
    ['one live', [live], 'Active'],
    ['one live since a date, one scheduled', [liveSince, scheduled], 'Active'],
    ['none live, one scheduled', [scheduled, awaiting], 'ReadyScheduledGoLiveDate'],
    ['none live, none scheduled', [awaiting, failed], 'ReadyAwaitingGoLiveDate'],
    ['some failed, the others pending', [failed, pending], 'SetupIncomplete'],
  ] as const)('%s', (_, integrations, expected) => {
    expect(status(integrations)).toBe(expected)
  })

  test('Inactive from the deactivation date on, whatever its integrations', () => {
    expect(status([live], { deactivationDate: now })).toBe('Inactive')
    expect(status([live], { deactivationDate: future })).toBe('Active')
    expect(status([], { deactivationDate: past })).toBe('Inactive')
  })

  test('an integration is live from the instant of its go-live date', () => {
    expect(status([{ ...live, goLiveDate: now }])).toBe('Active')
  })
})

describe('a merchant with an activation date', () => {
  test.each([
    ['Active', [live], 'ScheduledForActivation'],
    ['ReadyScheduledGoLiveDate', [scheduled], 'ScheduledForActivation'],
    ['ReadyAwaitingGoLiveDate', [awaiting], 'ScheduledForActivation'],
    ['IntegrationError', [failed], 'IntegrationError'],
    ['SetupIncomplete', [], 'SetupIncomplete'],
    ['PartiallyActiveByError', [live, failed], 'PartiallyActiveByError'],
  ] as const)('in the future that would otherwise be %s', (_, integrations, expected) => {
    expect(status(integrations, { activationDate: future })).toBe(expected)
  })

  test('that is reached is Active', () => {
    expect(status([live], { activationDate: now })).toBe('Active')
  })
})

test('every combination has a status of the interface, and each of them occurs', () => {
  const date = fc.constantFrom(null, past, now, future)
  const integration = fc.record({
    status: fc.constantFrom(...INTEGRATION_STATUSES),
    goLiveDate: date,
    goLiveWaits: fc.boolean(),
  })
  const seen = new Set<string>()
  fc.assert(
    fc.property(
      date,
      date,
      fc.array(integration, { maxLength: 4 }),
      (activationDate, deactivationDate, integrations) => {
        const result = status(integrations, { activationDate, deactivationDate })
        seen.add(result)
        expect(MERCHANT_STATUSES).toContain(result)
      },
    ),
    { numRuns: 5000, seed: 3 },
  )
  expect([...seen].sort()).toEqual([...MERCHANT_STATUSES].sort())
})
