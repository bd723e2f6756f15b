import { describe, expect, test } from 'vitest'
import { type AcceptanceInput, acceptanceRefusal, COMMAND_STATUSES } from '../../../domain/acceptance.ts'
import { PSP_STATUSES } from '../../../domain/chargeback.ts'

const open: AcceptanceInput = {
  pspStatus: 'needs_response',
  lifecycleStage: 'chargeback',
  dueDate: new Date('2026-03-20T00:00:00Z'),
  now: new Date('2026-03-01T00:00:00Z'),
  integrationStatus: 'SUCCESSFUL',
  acceptStages: ['chargeback', 'second_chargeback'],
  openCommand: null,
}
const refusal = (change: Partial<AcceptanceInput>) => acceptanceRefusal({ ...open, ...change })

describe('accepting a chargeback', () => {
  test('is possible when it is open, in time, supported and the integration works', () => {
    expect(refusal({})).toBeNull()
    expect(refusal({ dueDate: null })).toBeNull()
  })

  test.each(PSP_STATUSES.filter((status) => status !== 'needs_response'))('is refused at %s', (pspStatus) => {
    expect(refusal({ pspStatus })?.code).toBe('not_open')
    expect(refusal({ pspStatus })?.message).toMatch(/^The chargeback is not open at the PSP: it.+\.$/)
  })

  test('is refused once it is due', () => {
    expect(refusal({ now: new Date('2026-03-19T23:59:59.999Z') })).toBeNull()
    expect(refusal({ now: new Date('2026-03-20T00:00:00Z') })?.code).toBe('overdue')
  })

  test('is refused if the PSP does not support it', () => {
    expect(refusal({ acceptStages: null })).toEqual({
      code: 'acceptance_not_supported',
      message: 'This PSP takes no acceptance through its interface: accept the chargeback in its dashboard.',
    })
  })

  test('is refused at a stage that the PSP does not support, and the message names the supported stages', () => {
    expect(refusal({ lifecycleStage: 'inquiry', acceptStages: 'by_link' })).toBeNull()
    expect(refusal({ lifecycleStage: 'inquiry' })).toEqual({
      code: 'acceptance_not_supported',
      message: 'This PSP takes no acceptance at the stage inquiry. Stages it does: chargeback, second_chargeback.',
    })
  })

  test.each(['created', 'inProgress', 'succeeded'] as const)('is refused while a submission is %s', (status) => {
    expect(refusal({ openCommand: { kind: 'evidence_submission', status } })?.code).toBe('evidence_submission_exists')
  })

  test('is possible after a submission failed', () => {
    expect(refusal({ openCommand: { kind: 'evidence_submission', status: 'failed' } })).toBeNull()
  })

  test.each(['PENDING', 'FAILED', 'INACTIVE'] as const)(
    'is refused when the integration is %s',
    (integrationStatus) => {
      expect(refusal({ integrationStatus })?.code).toBe('integration_not_usable')
      expect(refusal({ integrationStatus })?.message).toMatch(/^The .+\.$/)
    },
  )
})

describe('accepting it again', () => {
  test.each(COMMAND_STATUSES.filter((status) => status !== 'failed'))(
    'is not refused while the acceptance is %s, whatever happened since',
    (status) => {
      expect(refusal({ openCommand: { kind: 'acceptance', status }, pspStatus: 'lost' })).toBeNull()
    },
  )

  test('is a new attempt after it failed, under the same conditions', () => {
    const openCommand = { kind: 'acceptance', status: 'failed' } as const
    expect(refusal({ openCommand })).toBeNull()
    expect(refusal({ openCommand, pspStatus: 'lost' })?.code).toBe('not_open')
  })
})
