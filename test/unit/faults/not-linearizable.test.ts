import { describe, expect, test } from 'vitest'
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

describe('histories that are not linearizable', () => {
  test.each<[string, Row[], Partial<Effects>?]>([
    [
      'an accepted command is lost',
      [
        [0, 1, ACCEPT, ok],
        [2, 3, ACCEPTANCE, missing],
      ],
    ],
    [
      'both commands are accepted',
      [
        [0, 1, ACCEPT, ok],
        [2, 3, ACCEPTANCE, shows('succeeded')],
        [4, 5, SUBMIT, createdAs('s1')],
      ],
    ],
    [
      'both commands are accepted concurrently, and both proceed',
      [
        [0, 9, ACCEPT, ok],
        [0, 9, SUBMIT, createdAs('s1')],
        [10, 11, ACCEPTANCE, shows('inProgress')],
        [10, 11, SUBMISSION, shows('inProgress')],
      ],
    ],
    [
      'both commands took effect at the PSP',
      [
        [0, 1, ACCEPT, ok],
        [0, null, SUBMIT, null],
      ],
      { acceptance: 1, submission: 1 },
    ],
    [
      'a status moves backwards',
      [
        [0, 1, ACCEPT, ok],
        [2, 3, ACCEPTANCE, shows('inProgress')],
        [4, 5, ACCEPTANCE, shows('created')],
      ],
    ],
    [
      'a final status changes',
      [
        [0, 1, ACCEPT, ok],
        [2, 3, ACCEPTANCE, shows('failed')],
        [4, 5, ACCEPTANCE, shows('succeeded')],
      ],
      { acceptance: 1 },
    ],
    [
      'reported as failed, but it took effect at the PSP',
      [
        [0, 1, ACCEPT, ok],
        [2, 3, ACCEPTANCE, shows('failed')],
      ],
      { acceptance: 1 },
    ],
    [
      'reported as succeeded, but it took no effect at the PSP',
      [
        [0, 1, ACCEPT, ok],
        [2, 3, ACCEPTANCE, shows('succeeded')],
      ],
    ],
    ['an effect at the PSP without a request', [[0, 1, ACCEPTANCE, missing]], { acceptance: 1 }],
    [
      'a read returns older state than the read before it',
      [
        [0, null, ACCEPT, null],
        [1, 2, ACCEPTANCE, shows('created')],
        [3, 4, ACCEPTANCE, missing],
      ],
    ],
    [
      'a repeated request gets another id',
      [
        [0, 1, SUBMIT, createdAs('s1')],
        [2, 3, SUBMIT, createdAs('s2')],
        [4, 5, SUBMISSION, shows('inProgress')],
      ],
    ],
    ['refused because of a command that nobody requested', [[0, 1, ACCEPT, refused('evidence_submission_exists')]]],
    [
      'refused as not open while the acceptance is in progress',
      [
        [0, 1, ACCEPT, ok],
        [2, 3, ACCEPT, refused('not_open')],
        [4, 5, ACCEPTANCE, shows('inProgress')],
      ],
    ],
    [
      'a submission with another file is accepted',
      [
        [0, 1, SUBMIT, createdAs('s1')],
        [2, 3, { kind: 'submit', fileId: 'other' }, createdAs('s1')],
      ],
    ],
    [
      'a chargeback is open again',
      [
        [0, 1, ACCEPT, ok],
        [2, 3, CHARGEBACK, showsChargeback('not_represented', 'lost')],
        [4, 5, CHARGEBACK, showsChargeback('building_evidence', 'lost')],
      ],
    ],
    [
      'accepted, but the chargeback does not show it',
      [
        [0, 1, ACCEPT, ok],
        [2, 3, ACCEPTANCE, shows('succeeded')],
        [4, 5, CHARGEBACK, showsChargeback('building_evidence', 'lost')],
      ],
      { acceptance: 1 },
    ],
    [
      'the completion time changes',
      [
        [0, 1, ACCEPT, ok],
        [2, 3, ACCEPTANCE, shows('succeeded', '10:00')],
        [4, 5, ACCEPTANCE, shows('succeeded', '10:01')],
      ],
      { acceptance: 1 },
    ],
  ])('%s', (_, rows, effects) => {
    expect(violation(rows, effects)).toContain('no order explains')
  })
})
