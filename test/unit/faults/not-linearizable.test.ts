import { describe, expect, test } from 'vitest'
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

describe('histories that can’t be', () => {
  test.each<[string, Row[], Partial<Effects>?]>([
    [
      'a command that was taken is lost',
      [
        [0, 1, ACCEPT, took],
        [2, 3, ACCEPTANCE, missing],
      ],
    ],
    [
      'both are taken',
      [
        [0, 1, ACCEPT, took],
        [2, 3, ACCEPTANCE, shows('succeeded')],
        [4, 5, SUBMIT, takenAs('s1')],
      ],
    ],
    [
      'both are taken at once, and both go on',
      [
        [0, 9, ACCEPT, took],
        [0, 9, SUBMIT, takenAs('s1')],
        [10, 11, ACCEPTANCE, shows('inProgress')],
        [10, 11, SUBMISSION, shows('inProgress')],
      ],
    ],
    [
      'both took effect at the PSP',
      [
        [0, 1, ACCEPT, took],
        [0, null, SUBMIT, null],
      ],
      { acceptance: 1, submission: 1 },
    ],
    [
      'a status goes back',
      [
        [0, 1, ACCEPT, took],
        [2, 3, ACCEPTANCE, shows('inProgress')],
        [4, 5, ACCEPTANCE, shows('created')],
      ],
    ],
    [
      'an end changes',
      [
        [0, 1, ACCEPT, took],
        [2, 3, ACCEPTANCE, shows('failed')],
        [4, 5, ACCEPTANCE, shows('succeeded')],
      ],
      { acceptance: 1 },
    ],
    [
      'told as failed, and the PSP had done it',
      [
        [0, 1, ACCEPT, took],
        [2, 3, ACCEPTANCE, shows('failed')],
      ],
      { acceptance: 1 },
    ],
    [
      'told as succeeded, and the PSP had not done it',
      [
        [0, 1, ACCEPT, took],
        [2, 3, ACCEPTANCE, shows('succeeded')],
      ],
    ],
    ['done at the PSP, and nobody asked', [[0, 1, ACCEPTANCE, missing]], { acceptance: 1 }],
    [
      'a read knows less than one before it',
      [
        [0, null, ACCEPT, null],
        [1, 2, ACCEPTANCE, shows('created')],
        [3, 4, ACCEPTANCE, missing],
      ],
    ],
    [
      'the repetition gets another id',
      [
        [0, 1, SUBMIT, takenAs('s1')],
        [2, 3, SUBMIT, takenAs('s2')],
        [4, 5, SUBMISSION, shows('inProgress')],
      ],
    ],
    ['refused for a command that nobody asked for', [[0, 1, ACCEPT, refused('evidence_submission_exists')]]],
    [
      'refused as not open while it is at work',
      [
        [0, 1, ACCEPT, took],
        [2, 3, ACCEPT, refused('not_open')],
        [4, 5, ACCEPTANCE, shows('inProgress')],
      ],
    ],
    [
      'another file is taken',
      [
        [0, 1, SUBMIT, takenAs('s1')],
        [2, 3, { kind: 'submit', fileId: 'other' }, takenAs('s1')],
      ],
    ],
    [
      'a chargeback is open again',
      [
        [0, 1, ACCEPT, took],
        [2, 3, CHARGEBACK, stands('not_represented', 'lost')],
        [4, 5, CHARGEBACK, stands('building_evidence', 'lost')],
      ],
    ],
    [
      'accepted, and the chargeback does not show it',
      [
        [0, 1, ACCEPT, took],
        [2, 3, ACCEPTANCE, shows('succeeded')],
        [4, 5, CHARGEBACK, stands('building_evidence', 'lost')],
      ],
      { acceptance: 1 },
    ],
    [
      'the time of the end changes',
      [
        [0, 1, ACCEPT, took],
        [2, 3, ACCEPTANCE, shows('succeeded', '10:00')],
        [4, 5, ACCEPTANCE, shows('succeeded', '10:01')],
      ],
      { acceptance: 1 },
    ],
  ])('%s', (_, rows, effects) => {
    expect(judge(rows, effects)).toContain('no order explains')
  })
})
