import { describe, expect, test } from 'vitest'
import { type Answer, condensed, type Operation, openHistory } from '../../faults/history.ts'
import type { Effects } from '../../faults/invariants/one-chargeback.ts'
import {
  ACCEPT,
  ACCEPTANCE,
  CHARGEBACK,
  judge,
  missing,
  type Row,
  refused,
  SUBMISSION,
  SUBMIT,
  shows,
  stands,
  takenAs,
  took,
} from './told-rows.ts'

describe('histories that can be', () => {
  test.each<[string, Row[], Partial<Effects>?]>([
    ['nothing was asked', []],
    [
      'an acceptance runs to its end, and is asked for twice',
      [
        [0, 1, ACCEPTANCE, missing],
        [2, 3, ACCEPT, took],
        [4, 5, ACCEPTANCE, shows('created')],
        [6, 7, ACCEPT, took],
        [8, 9, ACCEPTANCE, shows('inProgress')],
        [10, 11, ACCEPTANCE, shows('succeeded')],
        [12, 13, CHARGEBACK, stands('not_represented', 'lost')],
      ],
      { acceptance: 1 },
    ],
    [
      'a read during the request may come before it or after',
      [
        [0, 10, ACCEPT, took],
        [1, 9, ACCEPTANCE, missing],
        [2, 8, ACCEPTANCE, shows('inProgress')],
        [11, 12, ACCEPTANCE, shows('succeeded')],
      ],
      { acceptance: 1 },
    ],
    [
      'what nobody was answered took effect later',
      [
        [0, null, ACCEPT, null],
        [1, 2, ACCEPTANCE, missing],
        [3, 4, ACCEPTANCE, shows('created')],
      ],
      { acceptance: 1 },
    ],
    [
      'what nobody was answered never took effect',
      [
        [0, null, ACCEPT, null],
        [1, 2, SUBMIT, takenAs('s1')],
        [3, 4, SUBMISSION, shows('succeeded')],
        [5, 6, ACCEPTANCE, missing],
      ],
      { submission: 1 },
    ],
    [
      'what nobody was answered is known by its id at the repetition',
      [
        [0, null, SUBMIT, null],
        [1, 2, ACCEPT, refused('evidence_submission_exists')],
        [3, 4, SUBMIT, takenAs('s1')],
        [5, 6, SUBMIT, takenAs('s1')],
      ],
      { submission: 1 },
    ],
    [
      'after a failed one the other is taken',
      [
        [0, 1, ACCEPT, took],
        [2, 3, ACCEPTANCE, shows('failed')],
        [4, 5, SUBMIT, takenAs('s1')],
        [6, 7, SUBMISSION, shows('succeeded')],
        [8, 9, CHARGEBACK, stands('pending_psp_results', 'under_review')],
      ],
      { submission: 1 },
    ],
    [
      'a new attempt after a failed one has a time of its own',
      [
        [0, 1, ACCEPT, took],
        [2, 3, ACCEPTANCE, shows('failed', '10:00')],
        [4, 5, ACCEPT, took],
        [6, 7, ACCEPTANCE, shows('created', '10:01')],
      ],
    ],
    [
      'of two at once one is taken',
      [
        [0, 9, ACCEPT, refused('evidence_submission_exists')],
        [0, 9, SUBMIT, takenAs('s1')],
      ],
    ],
  ])('%s', (_, rows, effects) => {
    expect(judge(rows, effects)).toBeNull()
  })

  test('dozens of requests without an answer take no time', () => {
    const lost = Array.from({ length: 40 }, (_, at): Row => [at, null, at % 2 ? ACCEPT : SUBMIT, null])
    expect(judge([...lost, [100, 101, ACCEPTANCE, shows('succeeded')]], { acceptance: 1 })).toBeNull()
    const back: Row[] = [
      [100, 101, ACCEPTANCE, shows('succeeded')],
      [102, 103, ACCEPTANCE, missing],
    ]
    expect(judge([...lost, ...back], { acceptance: 1 })).toContain('no order explains')
  })
})

describe('what others do', () => {
  const human: Row[] = [
    [0, 1, ACCEPT, took],
    [2, 3, ACCEPTANCE, shows('succeeded')],
    [4, 5, CHARGEBACK, stands('pending_psp_results', 'under_review')],
  ]
  test('a human may have done what was asked of us, and more', () => {
    expect(judge(human, {}, true)).toBeNull()
    expect(judge(human, {})).toContain('no order explains')
  })

  test('time that is moved takes that of the request with it', () => {
    const moved: Row[] = [
      [0, 1, ACCEPT, took],
      [2, 3, ACCEPTANCE, shows('inProgress', '10:01')],
      [4, 5, ACCEPTANCE, shows('inProgress', '10:00')],
    ]
    expect(judge(moved, {}, true)).toBeNull()
    expect(judge(moved, {})).toContain('no order explains')
  })
})

describe('history', () => {
  test('no answer and a failure of the server stay open; a refusal is an answer', async () => {
    const history = openHistory()
    await history.record('client', ACCEPT, async () => null)
    await history.record('client', ACCEPT, async () => ({ status: 503, code: 'unavailable' }))
    await history.record('client', ACCEPT, async () => refused('overdue'))
    expect(history.operations.map(({ to, answer }) => [to === null, answer?.status])).toEqual([
      [true, undefined],
      [true, undefined],
      [false, 400],
    ])
  })

  test('of equal reads in a row the first and the last are kept, and none without an answer', () => {
    const read = (at: number, answer: Answer | null): Operation => ({
      ...{ client: 'reader', asked: ACCEPTANCE, from: at, to: answer && at + 0.5, answer },
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
