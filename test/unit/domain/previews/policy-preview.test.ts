import { describe, expect, it } from 'vitest'
import {
  AUTOMATIC_DEFAULTS,
  type AutomaticPolicy,
  automaticTimes,
} from '../../../../domain/evidence/package/automatic-policy.ts'
import type { AutomaticFacts } from '../../../../domain/evidence/package/blockers.ts'
import { type PolicySubject, previewPolicy } from '../../../../domain/previews/policy-preview.ts'

const now = new Date('2026-03-01T00:00:00Z')
const policy: AutomaticPolicy = { ...AUTOMATIC_DEFAULTS, mode: 'auto' }
const facts: AutomaticFacts = {
  ...{ status: 'building_evidence', pspStatus: 'needs_response', lifecycleStage: 'chargeback' },
  ...{ dueDate: new Date('2026-03-08T00:00:00Z'), currency: 'EUR', amountMinor: 1_000n, amountExponent: 2 },
  ...{ shouldFight: null, recommendation: null, integrationStatus: 'SUCCESSFUL' },
  ...{ held: false, hasCommand: false, hasClientFile: false, stale: false, answeredElsewhere: false },
  built: {
    refused: false,
    play: 'general',
    completeness: 0.9,
    requiredMissing: 0,
    contradicted: false,
    manualOnly: false,
  },
}
const subject = (n: number, change: Partial<AutomaticFacts> = {}): PolicySubject => ({
  id: `0198c5a4-6c1e-7d60-9a55-0000000000${String(n).padStart(2, '0')}`,
  psp: 'stripe',
  facts: { ...facts, ...change },
  contestStages: ['chargeback'],
})

describe('previewPolicy', () => {
  it('counts each chargeback once, by the first thing that stops it, with exact sums per currency', () => {
    const subjects = [
      subject(1),
      subject(2, { amountMinor: 99_999_999_999_999n }),
      subject(3, { currency: 'JPY', amountExponent: 0, amountMinor: 500n }),
      // Held, and not complete either: the first counts.
      subject(4, { held: true, built: { ...(facts.built as object), completeness: 0.1 } as never }),
      subject(5, { status: 'waiting_for_data', built: null }),
      subject(6, { status: 'waiting_for_data', built: null }),
    ]
    const preview = previewPolicy(subjects, policy, now)
    expect(preview.submits).toEqual({
      count: 3,
      amounts: [
        { currency: 'EUR', amount: '1000000000009.99' },
        { currency: 'JPY', amount: '500' },
      ],
      nextAt: expect.any(String),
    })
    expect(preview.blocked.map(({ code, count }) => [code, count])).toEqual([
      ['not_building', 2],
      ['held', 1],
    ])
  })

  it('says when the first would be submitted', () => {
    const subjects = [1, 2, 3].map((n) => subject(n, { dueDate: new Date(`2026-03-0${9 - n}T00:00:00Z`) }))
    const times = subjects.map(({ id, psp, facts: { dueDate } }) => automaticTimes({ id, psp, dueDate }, policy))
    const first = times.map((one) => one?.submittedAt.getTime() ?? 0).sort((a, b) => a - b)[0]
    expect(previewPolicy(subjects, policy, now).submits.nextAt).toBe(new Date(first ?? 0).toISOString())
  })

  it('submits nothing by a manual policy', () => {
    const preview = previewPolicy([subject(1)], { ...policy, mode: 'manual' }, now)
    expect(preview).toEqual({
      submits: { count: 0, amounts: [] },
      blocked: [{ code: 'policy_manual', count: 1, amounts: [{ currency: 'EUR', amount: '10' }] }],
    })
  })
})
