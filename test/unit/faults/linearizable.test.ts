import { describe, expect, test } from 'vitest'
import { condensed, type HistoryResponse, type Operation, openHistory } from '../../faults/history.ts'
import type { Effects } from '../../faults/invariants/one-chargeback.ts'
import {
  ACCEPT,
  ACCEPTANCE,
  CHARGEBACK,
  createdAs,
  missing,
  ok,
  type Row,
  refused,
  SUBMISSION,
  SUBMIT,
  shows,
  showsChargeback,
  violation,
} from './history-rows.ts'

describe('linearizable histories', () => {
  test.each<[string, Row[], Partial<Effects>?]>([
    ['no requests', []],
    [
      'an acceptance completes, and is requested twice',
      [
        [0, 1, ACCEPTANCE, missing],
        [2, 3, ACCEPT, ok],
        [4, 5, ACCEPTANCE, shows('created')],
        [6, 7, ACCEPT, ok],
        [8, 9, ACCEPTANCE, shows('inProgress')],
        [10, 11, ACCEPTANCE, shows('succeeded')],
        [12, 13, CHARGEBACK, showsChargeback('not_represented', 'lost')],
      ],
      { acceptance: 1 },
    ],
    [
      'a read during the request may be ordered before or after it',
      [
        [0, 10, ACCEPT, ok],
        [1, 9, ACCEPTANCE, missing],
        [2, 8, ACCEPTANCE, shows('inProgress')],
        [11, 12, ACCEPTANCE, shows('succeeded')],
      ],
      { acceptance: 1 },
    ],
    [
      'a request without a response takes effect later',
      [
        [0, null, ACCEPT, null],
        [1, 2, ACCEPTANCE, missing],
        [3, 4, ACCEPTANCE, shows('created')],
      ],
      { acceptance: 1 },
    ],
    [
      'a request without a response never takes effect',
      [
        [0, null, ACCEPT, null],
        [1, 2, SUBMIT, createdAs('s1')],
        [3, 4, SUBMISSION, shows('succeeded')],
        [5, 6, ACCEPTANCE, missing],
      ],
      { submission: 1 },
    ],
    [
      'a request without a response returns its id when it is repeated',
      [
        [0, null, SUBMIT, null],
        [1, 2, ACCEPT, refused('evidence_submission_exists')],
        [3, 4, SUBMIT, createdAs('s1')],
        [5, 6, SUBMIT, createdAs('s1')],
      ],
      { submission: 1 },
    ],
    [
      'a submission is accepted after a failed acceptance',
      [
        [0, 1, ACCEPT, ok],
        [2, 3, ACCEPTANCE, shows('failed')],
        [4, 5, SUBMIT, createdAs('s1')],
        [6, 7, SUBMISSION, shows('succeeded')],
        [8, 9, CHARGEBACK, showsChargeback('pending_psp_results', 'under_review')],
      ],
      { submission: 1 },
    ],
    [
      'a new attempt after a failed one has its own time',
      [
        [0, 1, ACCEPT, ok],
        [2, 3, ACCEPTANCE, shows('failed', '10:00')],
        [4, 5, ACCEPT, ok],
        [6, 7, ACCEPTANCE, shows('created', '10:01')],
      ],
    ],
    [
      'one of two concurrent commands is accepted',
      [
        [0, 9, ACCEPT, refused('evidence_submission_exists')],
        [0, 9, SUBMIT, createdAs('s1')],
      ],
    ],
  ])('%s', (_, rows, effects) => {
    expect(violation(rows, effects)).toBeNull()
  })

  test('dozens of requests without a response are checked in little time', () => {
    const lost = Array.from({ length: 40 }, (_, at): Row => [at, null, at % 2 ? ACCEPT : SUBMIT, null])
    expect(violation([...lost, [100, 101, ACCEPTANCE, shows('succeeded')]], { acceptance: 1 })).toBeNull()
    const back: Row[] = [
      [100, 101, ACCEPTANCE, shows('succeeded')],
      [102, 103, ACCEPTANCE, missing],
    ]
    expect(violation([...lost, ...back], { acceptance: 1 })).toContain('no order explains')
  })
})

describe('actions of others', () => {
  const human: Row[] = [
    [0, 1, ACCEPT, ok],
    [2, 3, ACCEPTANCE, shows('succeeded')],
    [4, 5, CHARGEBACK, showsChargeback('pending_psp_results', 'under_review')],
  ]
  test('a person may have done what we were request to do, and more', () => {
    expect(violation(human, {}, true)).toBeNull()
    expect(violation(human, {})).toContain('no order explains')
  })

  test('a shift of the clock may change the time of the request', () => {
    const moved: Row[] = [
      [0, 1, ACCEPT, ok],
      [2, 3, ACCEPTANCE, shows('inProgress', '10:01')],
      [4, 5, ACCEPTANCE, shows('inProgress', '10:00')],
    ]
    expect(violation(moved, {}, true)).toBeNull()
    expect(violation(moved, {})).toContain('no order explains')
  })
})

describe('history', () => {
  test('a missing response and a server error stay open; a refusal is a response', async () => {
    const history = openHistory()
    await history.record('client', ACCEPT, async () => null)
    await history.record('client', ACCEPT, async () => ({ status: 503, code: 'unavailable' }))
    await history.record('client', ACCEPT, async () => refused('overdue'))
    expect(history.operations.map(({ to, response }) => [to === null, response?.status])).toEqual([
      [true, undefined],
      [true, undefined],
      [false, 400],
    ])
  })

  test('keeps the first and the last of consecutive equal reads, and none without a response', () => {
    const read = (at: number, response: HistoryResponse | null): Operation => ({
      ...{ client: 'reader', request: ACCEPTANCE, from: at, to: response && at + 0.5, response },
    })
    const states = [
      'created',
      'created',
      'created',
      'inProgress',
      'inProgress',
      'inProgress',
      'inProgress',
      'succeeded',
    ]
    const reads = [...states.map((state, at) => read(at, shows(state))), read(9, null)]
    expect(condensed(reads).map(({ from }) => from)).toEqual([0, 2, 3, 6, 7])
  })
})
