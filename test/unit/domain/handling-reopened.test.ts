import { describe, expect, test } from 'vitest'
import type { HandlingInput } from '../../../domain/handling.ts'
import { seen, stored } from './handling-input.ts'

describe('pending_psp_results', () => {
  const pending = (change: Partial<HandlingInput>) => stored('pending_psp_results', change)

  test('stays at the same stage, whatever else changes', () => {
    for (const change of [
      { pspStatus: 'won' },
      { pspStatus: 'lost' },
      { pspStatus: 'needs_response' },
      { shouldFight: false },
      { outOfScope: 'Scope rule 3.' },
    ] as Partial<HandlingInput>[])
      expect(pending(change)).toEqual({ status: 'pending_psp_results', reason: 'stored', round: 1 })
  })

  test('is reopened by a higher stage, in a new round that ignores the earlier submission', () => {
    expect(pending({ lifecycleStage: 'second_chargeback', submitted: true })).toMatchObject({
      status: 'waiting_for_data',
      round: 2,
    })
  })

  for (const pspStatus of ['under_review', 'won', 'lost', 'split'] as const)
    test(`is reopened at the same stage when the PSP asks again after ${pspStatus}`, () => {
      const current = {
        status: 'pending_psp_results',
        statusReason: 'stored',
        pspStatus,
        lifecycleStage: 'chargeback',
        round: 1,
      } as const
      expect(pending({ current, submitted: true })).toMatchObject({ status: 'waiting_for_data', round: 2 })
    })

  test('is reopened at the same stage if the PSP reported an unknown status in between', () => {
    const unknown = {
      status: 'pending_psp_results',
      statusReason: 'stored',
      pspStatus: 'unknown',
      lifecycleStage: 'chargeback',
      round: 1,
    } as const
    expect(pending({ current: unknown, submitted: true })).toMatchObject({ status: 'waiting_for_data', round: 2 })
    const accepted = { ...unknown, status: 'not_represented' } as const
    expect(seen({ current: accepted, accepted: true })).toMatchObject({ status: 'waiting_for_data', round: 2 })
    // There was no response: the round continues.
    expect(seen({ current: accepted })).toMatchObject({ status: 'waiting_for_data', round: 1 })
  })

  test('is not reopened by a higher stage that needs no response', () => {
    const change = { lifecycleStage: 'second_chargeback', pspStatus: 'under_review' } as const
    expect(pending(change)).toMatchObject({ status: 'pending_psp_results', round: 1 })
  })

  test('is not reopened by a lower stage or one outside of the order', () => {
    expect(pending({ lifecycleStage: 'inquiry' })).toMatchObject({ status: 'pending_psp_results', round: 1 })
    expect(pending({ lifecycleStage: 'other' })).toMatchObject({ status: 'pending_psp_results', round: 1 })
  })
})

test('an accepted inquiry that comes back as a chargeback is a new round', () => {
  const current = {
    status: 'not_represented',
    statusReason: 'It was accepted at the PSP.',
    pspStatus: 'not_applicable',
    lifecycleStage: 'inquiry',
    round: 1,
  } as const
  expect(seen({ current, accepted: true })).toMatchObject({ status: 'waiting_for_data', round: 2 })
})
