import { expect, test } from 'vitest'
import { type IntegrationState, problemOf } from '../../../domain/integration-problem.ts'

const fine: IntegrationState = {
  ...{ status: 'SUCCESSFUL', statusReason: null, verifiedAt: new Date('2026-01-01T00:00:00Z') },
  ...{ polledAt: new Date('2026-01-02T00:00:00Z'), pollError: null, paused: false },
  ...{ pauseChangedAt: null, pauseChangedBy: null, pauseReason: null },
}
const paused = {
  ...{ paused: true, pauseChangedAt: new Date('2026-01-03T04:05:06Z'), pauseChangedBy: 'alice' },
  pauseReason: 'The bank moves.',
}
const PAUSED = 'Its polls are paused since 2026-01-03 04:05 UTC by alice: The bank moves.'

test.each<[string, Partial<IntegrationState>, string | null]>([
  ['nothing', {}, null],
  ['the first check is running', { status: 'PENDING', verifiedAt: null, polledAt: null }, null],
  ['the PSP is unreachable for the first check', { status: 'PENDING', statusReason: 'Not reached.' }, 'Not reached.'],
  ['a refused credential', { status: 'FAILED', statusReason: 'Refused now.', pollError: 'Refused.' }, 'Refused now.'],
  ['a refusal without a reason', { status: 'FAILED' }, 'The PSP refused the credential.'],
  ['a failed poll', { pollError: 'The PSP was away.' }, 'The PSP was away.'],
  ['a poll before the new key was verified', { pollError: 'Refused.', verifiedAt: new Date('2026-01-05') }, null],
  ['a pause', paused, PAUSED],
  ['a pause without a name and a reason', { paused: true }, 'Its polls are paused.'],
  ['a resumption', { ...paused, paused: false }, null],
  [
    'a pause after a refused credential',
    { ...paused, status: 'FAILED', statusReason: 'Refused.' },
    `${PAUSED} Refused.`,
  ],
  ['deactivated', { ...paused, status: 'INACTIVE', statusReason: 'Refused.', pollError: 'Refused.' }, null],
])('%s', (_, change, problem) => expect(problemOf({ ...fine, ...change })).toBe(problem))
