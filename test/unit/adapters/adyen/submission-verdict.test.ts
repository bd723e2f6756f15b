import { describe, expect, test } from 'vitest'
import { stateIn } from '../../../../adapters/adyen/fetch.ts'
import { submissionVerdict } from '../../../../adapters/adyen/probe.ts'
import { DISPUTE, type Item, item, NOW, opened, rawOf } from './adyen.ts'

describe('whether a submission was sent', () => {
  test('only a defence that Adyen accepted and has not reported yet is an expected wait', () => {
    const question = { digest: 'ours', submissionsBefore: 0, sent: true }
    const awaited = (...given: [Item[], object[]]) => submissionVerdict(stateIn(rawOf(...given)), question).awaited
    expect(awaited([opened()], [mark('ours')])).toBe(true)
    expect(awaited([opened()], [upload('ours')])).toBeUndefined()
    expect(awaited([opened(), lost], [mark('ours')])).toBeUndefined()
  })

  const verdict = (items: Item[], marks: object[], submissionsBefore: number, sent: boolean) =>
    submissionVerdict(stateIn(rawOf(items, marks)), { digest: 'ours', submissionsBefore, sent }).answer
  const EARLY = '2026-02-02T00:00:00.000Z'
  const LATE = '2026-02-10T00:00:00.000Z'
  const mark = (digest: string, at = NOW.toISOString()) => ({
    ...{ recoup: 'defense', disputePspReference: DISPUTE, digest, at },
  })
  const upload = (digest: string, at?: string) => ({ ...mark(digest, at), recoup: 'upload', types: ['a'] })
  const refusal = (digest: string) => ({ ...mark(digest), recoup: 'upload_refused' })
  const supplied = item('INFORMATION_SUPPLIED', 3, {}, { disputeStatus: 'Pending' })
  const escalated = item('SECOND_CHARGEBACK', 9)
  const reopened = item('PREARBITRATION_OPEN', 9, {}, { defendable: 'true' })
  const inquiry = item('REQUEST_FOR_INFORMATION', 1)
  const reversed = (disputeStatus: string) => item('CHARGEBACK_REVERSED', 5, {}, { disputeStatus })
  const ruled = (how: string) => item(`SCHEME_ARBITRATION${how}`, how === '' ? 13 : 14)
  const lost = item('CHARGEBACK', 9, {}, { disputeStatus: 'Lost' })

  test.each<[string, Item[], object[], number, string]>([
    ['nothing was reported', [opened()], [], 0, 'not_done'],
    ['Adyen accepted it and reported nothing', [opened()], [mark('ours')], 0, 'unknown'],
    [
      'a defence was supplied after our upload',
      [opened(), supplied],
      [upload('ours', '2026-02-02T00:00:00.000Z')],
      0,
      'done',
    ],
    ['a defence was supplied without an upload of ours', [opened(), supplied], [], 0, 'impossible'],
    [
      'a defence was supplied after an upload of other evidence',
      [opened(), supplied],
      [upload('else')],
      0,
      'impossible',
    ],
    ['ours was supplied', [opened(), supplied], [mark('ours')], 0, 'done'],
    ['another one was supplied', [opened(), supplied], [mark('theirs')], 0, 'impossible'],
    ['Adyen defended by itself', [opened(1, { autoDefended: 'true' })], [], 0, 'impossible'],
    ['it was lost without a defence', [opened(), item('DISPUTE_DEFENSE_PERIOD_ENDED', 4)], [], 0, 'impossible'],
    ['it escalated after the defence', [opened(), supplied, escalated], [upload('ours', EARLY)], 0, 'done'],
    ['it escalated after a defence that was never confirmed', [opened(), escalated], [mark('ours', EARLY)], 0, 'done'],
    [
      'it escalated after another person’s defence',
      [opened(), supplied, escalated],
      [upload('else', EARLY)],
      0,
      'impossible',
    ],
    [
      'the money was returned after our upload, and no defence was reported',
      [opened(), reversed('Pending')],
      [upload('ours')],
      0,
      'done',
    ],
    ['the money was returned without an upload of ours', [opened(), reversed('Pending')], [], 0, 'impossible'],
    [
      'the money was returned after an upload of other evidence',
      [opened(), reversed('Pending')],
      [upload('else')],
      0,
      'impossible',
    ],
    ['it escalated after our upload', [opened(), escalated], [upload('ours', EARLY)], 0, 'unknown'],
    ['it escalated and was ruled on after our upload', [reopened, ruled('')], [upload('ours', LATE)], 0, 'unknown'],
    [
      'it escalated and was lost after our upload',
      [reopened, ruled(''), ruled('_LOST')],
      [upload('ours', LATE)],
      0,
      'unknown',
    ],
    [
      'a separate stage was lost after our upload in that stage',
      [opened(), reopened, item('PREARBITRATION_LOST', 12)],
      [upload('ours', LATE)],
      0,
      'impossible',
    ],
    [
      'a separate stage was contested after our upload in that stage',
      [opened(), reopened, item('PREARBITRATION_DECLINED', 12)],
      [upload('ours', LATE)],
      0,
      'done',
    ],
    ['it was won after our upload', [opened(), reversed('Won')], [upload('ours')], 0, 'unknown'],
    ['it was won without us', [opened(), reversed('Won')], [], 0, 'impossible'],
    ['it was lost after our upload', [opened(), lost], [upload('ours')], 0, 'impossible'],
    [
      'Adyen defended by itself after our upload',
      [opened(1, { autoDefended: 'true' })],
      [upload('ours')],
      0,
      'impossible',
    ],
    ['it was reopened after our defence', [opened(), supplied, reopened], [mark('ours', EARLY)], 0, 'done'],
    ['it was reopened and the defence was never confirmed', [opened(), reopened], [mark('ours', EARLY)], 0, 'unknown'],
    ["our clock is behind Adyen's", [opened(), supplied], [upload('ours', '2026-01-31T00:00:00.000Z')], 0, 'done'],
    [
      'a request for information becomes a chargeback after our response',
      [inquiry, lost],
      [mark('ours', EARLY)],
      0,
      'unknown',
    ],
    [
      'a second round, after the evidence of the first',
      [opened(), supplied, reopened],
      [mark('first', EARLY)],
      1,
      'not_done',
    ],
    ['an upload was refused', [opened(), supplied], [upload('ours'), refusal('ours')], 0, 'impossible'],
    [
      'an upload was refused, after another',
      [opened(), supplied],
      [upload('ours', EARLY), upload('ours'), refusal('ours')],
      0,
      'done',
    ],
    [
      'a second round, still open',
      [opened(), supplied, item('PREARBITRATION_OPEN', 9, {}, { defendable: 'true' })],
      [],
      1,
      'not_done',
    ],
    [
      'our defence was accepted by Adyen and never confirmed',
      [opened(), item('DISPUTE_DEFENSE_PERIOD_ENDED', 4)],
      [mark('ours')],
      0,
      'unknown',
    ],
    [
      'another defence was accepted by Adyen and never confirmed',
      [opened(), item('DISPUTE_DEFENSE_PERIOD_ENDED', 4)],
      [mark('theirs')],
      0,
      'impossible',
    ],
  ])('%s', (_, items, marks, before, answer) => {
    expect(verdict(items, marks, before, true)).toBe(answer)
  })

  // An upload alone sends nothing, so another client or a person must have sent it.
  test.each([
    ['a defence was supplied after our upload', [opened(), supplied]],
    ['it escalated after our upload', [opened(), escalated]],
    ['the money was returned after our upload', [opened(), reversed('Pending')]],
    ['it was won after our upload', [opened(), reversed('Won')]],
  ])('%s, but we never made a call to submit it', (_, items) => {
    expect(verdict(items, [upload('ours', EARLY)], 0, false)).toBe('impossible')
  })
})
