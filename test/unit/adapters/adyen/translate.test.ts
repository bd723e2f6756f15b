import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toChargeback } from '../../../../adapters/adyen/translate.ts'
import type { ChargebackFacts } from '../../../../domain/chargeback.ts'
import { DISPUTE, type Item, item, opened, rawOf } from './adyen.ts'

function translated(items: Item[], sent: object[] = []) {
  const translation = toChargeback(rawOf(items, sent))
  if (translation.kind === 'unmappable') throw new Error(translation.reason)
  return translation
}

function factsOf(items: Item[], sent: object[] = []): ChargebackFacts {
  return translated(items, sent).facts
}

const statusAndStage = (items: Item[], sent: object[] = []) => {
  const { pspStatus, lifecycleStage } = factsOf(items, sent)
  return `${pspStatus} ${lifecycleStage}`
}

const status = (disputeStatus: string | null, more: Item = {}) =>
  disputeStatus === null ? more : { disputeStatus, ...more }

describe('one event, each row of the table', () => {
  const OPENERS = ['NOTIFICATION_OF_CHARGEBACK', 'CHARGEBACK', 'DISPUTE_OPENED_WITH_CHARGEBACK']
  const rows: [string, Item, string][] = [
    ['NOTIFICATION_OF_FRAUD', {}, 'not_applicable alert'],
    ['NOTIFICATION_OF_FRAUD', status('Lost'), 'not_applicable alert'],
    ['REQUEST_FOR_INFORMATION', {}, 'needs_response inquiry'],
    ['REQUEST_FOR_INFORMATION', status('Unresponded'), 'needs_response inquiry'],
    ['REQUEST_FOR_INFORMATION', status('Responded'), 'under_review inquiry'],
    ['REQUEST_FOR_INFORMATION', status('Expired'), 'not_applicable inquiry'],
    ...OPENERS.flatMap((code): [string, Item, string][] => [
      [code, status('Won'), 'won chargeback'],
      [code, status('Accepted'), 'lost chargeback'],
      [code, status('Lost'), 'lost chargeback'],
      [code, status('Pending'), 'under_review chargeback'],
      [code, status('Expired', { defendable: 'true' }), 'lost chargeback'],
      [code, { autoDefended: 'true', defendable: 'false' }, 'under_review chargeback'],
      [code, { defendable: 'false' }, 'lost chargeback'],
      [code, status('Undefended', { defendable: 'false' }), 'lost chargeback'],
      [code, status('Undefended', { defendable: 'true' }), 'needs_response chargeback'],
      [code, {}, 'needs_response chargeback'],
    ]),
    ['INFORMATION_SUPPLIED', status('Pending'), 'under_review chargeback'],
    ['CHARGEBACK_REVERSED', status('Pending'), 'under_review chargeback'],
    ['CHARGEBACK_REVERSED', status('Won'), 'won chargeback'],
    ['CHARGEBACK_REVERSED', {}, 'won chargeback'],
    ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', status('Won'), 'won chargeback'],
    ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', {}, 'won chargeback'],
    ['SECOND_CHARGEBACK', status('Lost'), 'lost second_chargeback'],
    ['SECOND_CHARGEBACK', {}, 'lost second_chargeback'],
    ['DISPUTE_DEFENSE_PERIOD_ENDED', status('Won'), 'won chargeback'],
    ['DISPUTE_DEFENSE_PERIOD_ENDED', status('Lost'), 'lost chargeback'],
    ['DISPUTE_DEFENSE_PERIOD_ENDED', status('Accepted'), 'lost chargeback'],
    ['DISPUTE_DEFENSE_PERIOD_ENDED', status('Undefended'), 'lost chargeback'],
    ['DISPUTE_DEFENSE_PERIOD_ENDED', status('Expired'), 'lost chargeback'],
    ['DISPUTE_DEFENSE_PERIOD_ENDED', {}, 'lost chargeback'],
    ['PREARBITRATION_OPEN', { defendable: 'true' }, 'needs_response second_chargeback'],
    ['PREARBITRATION_OPEN', {}, 'under_review second_chargeback'],
    ['PREARBITRATION_DECLINED', {}, 'under_review second_chargeback'],
    ['PREARBITRATION_WON', {}, 'won second_chargeback'],
    ['PREARBITRATION_ISSUER_WITHDRAWN', {}, 'won second_chargeback'],
    ['PREARBITRATION_LOST', {}, 'lost second_chargeback'],
    ['PREARBITRATION_ACCEPTED', {}, 'lost second_chargeback'],
    ['SCHEME_ARBITRATION', {}, 'under_review third_chargeback'],
    ['SCHEME_ARBITRATION_WON', {}, 'won third_chargeback'],
    ['SCHEME_ARBITRATION_LOST', {}, 'lost third_chargeback'],
  ]
  test.each(rows)('%s %j → %s', (code, data, expected) => {
    expect(statusAndStage([item(code, 1, {}, data)])).toBe(expected)
  })

  test.each([
    ['SECOND_CHARGEBACK', 'Won', 'won second_chargeback'],
    ['CHARGEBACK_REVERSED', 'Lost', 'lost chargeback'],
    ['PREARBITRATION_OPEN', 'Pending', 'under_review second_chargeback'],
    ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', 'Pending', 'under_review chargeback'],
    ['CHARGEBACK', 'Responded', 'under_review chargeback'],
  ])('%s with %s, which is in no row: the status takes precedence over the event', (code, word, expected) => {
    expect(statusAndStage([item(code, 1, {}, { disputeStatus: word })])).toBe(expected)
  })

  test('a new event code is unknown alone, and changes nothing after known events', () => {
    const future = item('PREARBITRATION_POSTPONED', 3)
    expect(translated([future])).toMatchObject({ facts: { pspStatus: 'unknown' }, anomalies: [/unknown event/] })
    expect(statusAndStage([opened(1), future])).toBe('needs_response chargeback')
  })

  test('a new disputeStatus is unknown, with an anomaly', () => {
    const { facts, anomalies } = translated([item('CHARGEBACK', 1, {}, { disputeStatus: 'Mediated' })])
    expect(facts.pspStatus).toBe('unknown')
    expect(anomalies).toContain('unknown disputeStatus Mediated')
  })
})

describe('combined events', () => {
  test('a debit that follows a defence does not reopen the dispute', () => {
    const items = [opened(1), item('INFORMATION_SUPPLIED', 2, {}, { disputeStatus: 'Pending' }), item('CHARGEBACK', 3)]
    expect(statusAndStage(items)).toBe('under_review chargeback')
  })

  const defendable = { disputeStatus: 'Undefended', defendable: 'true', defensePeriodEndsAt: '2026-03-20T00:00:00Z' }
  test.each([
    ['was defended by Adyen', { autoDefended: 'true', defendable: 'false' }],
    ['was not defendable', { defendable: 'false' }],
  ])('a defendable debit opens a dispute whose notice %s', (_, notice) => {
    const items = [item('NOTIFICATION_OF_CHARGEBACK', 1, {}, notice), item('CHARGEBACK', 3, {}, defendable)]
    expect(factsOf(items)).toMatchObject({ pspStatus: 'needs_response', dueDate: '2026-03-20T00:00:00.000Z' })
  })

  test('a debit without data, or a repeated notice, does not reopen what an opening event closed', () => {
    const automatic = item('NOTIFICATION_OF_CHARGEBACK', 1, {}, { autoDefended: 'true', defendable: 'false' })
    expect(statusAndStage([automatic, item('CHARGEBACK', 3)])).toBe('under_review chargeback')
    const answered = item('CHARGEBACK', 2, {}, { disputeStatus: 'Pending' })
    expect(statusAndStage([opened(1), answered, opened(3)])).toBe('under_review chargeback')
  })

  test('a final event takes precedence over later ones that are not final', () => {
    const items = [opened(1), item('CHARGEBACK', 2, {}, { disputeStatus: 'Lost' }), item('CHARGEBACK_REVERSED', 5)]
    expect(statusAndStage(items)).toBe('lost chargeback')
  })

  test('the stage never goes back', () => {
    expect(statusAndStage([opened(1), item('SECOND_CHARGEBACK', 2), item('CHARGEBACK', 4)])).toBe(
      'lost second_chargeback',
    )
  })

  test('a higher stage reopens a decided dispute, with its own due date', () => {
    const lost = [opened(1), item('DISPUTE_DEFENSE_PERIOD_ENDED', 2, {}, { disputeStatus: 'Lost' })]
    const again = item('PREARBITRATION_OPEN', 3, {}, { defendable: 'true' })
    expect(factsOf([...lost, again])).toMatchObject({ pspStatus: 'needs_response', dueDate: null })
  })

  test('the end of the defence period changes nothing after a defence', () => {
    const answered = [opened(1), item('INFORMATION_SUPPLIED', 2), item('DISPUTE_DEFENSE_PERIOD_ENDED', 3)]
    expect(statusAndStage(answered)).toBe('under_review chargeback')
  })

  test('the defence period ends before Adyen confirms our defence: evidence_not_submitted_by_psp', () => {
    const sent = [{ recoup: 'defense', disputePspReference: DISPUTE, digest: 'd', at: '2026-02-02T00:00:00.000Z' }]
    const ended = [opened(1), item('DISPUTE_DEFENSE_PERIOD_ENDED', 3, {}, { disputeStatus: 'Undefended' })]
    expect(statusAndStage(ended, sent)).toBe('evidence_not_submitted_by_psp chargeback')
    expect(statusAndStage(ended)).toBe('lost chargeback')
  })

  test('the end of the defence period of a win, or of a request for information, is no loss', () => {
    const ended = (day: number) => item('DISPUTE_DEFENSE_PERIOD_ENDED', day, {}, { disputeStatus: 'Undefended' })
    expect(statusAndStage([opened(1), item('CHARGEBACK_REVERSED', 2), ended(3)])).toBe('won chargeback')
    expect(statusAndStage([item('REQUEST_FOR_INFORMATION', 1), ended(3)])).toBe('not_applicable inquiry')
  })

  test('a supplied defence is under_review, whatever its disputeStatus', () => {
    for (const disputeStatus of ['Undefended', 'Won', 'Lost', 'Mediated'])
      expect(statusAndStage([opened(1), item('INFORMATION_SUPPLIED', 2, {}, { disputeStatus })])).toBe(
        'under_review chargeback',
      )
  })

  test('a win is provisional: a second chargeback reverses it', () => {
    expect(statusAndStage([opened(1), item('CHARGEBACK_REVERSED', 2)])).toBe('won chargeback')
    expect(statusAndStage([opened(1), item('CHARGEBACK_REVERSED', 2), item('SECOND_CHARGEBACK', 9)])).toBe(
      'lost second_chargeback',
    )
  })

  test('comments of the issuer change nothing', () => {
    expect(statusAndStage([opened(1), item('ISSUER_COMMENTS', 2, {}, { 'issuerComments.explanation': 'x' })])).toBe(
      'needs_response chargeback',
    )
  })

  test('any order and any repetition of the same events gives the same text', () => {
    const life = [
      opened(1),
      item('CHARGEBACK', 2),
      item('INFORMATION_SUPPLIED', 2, {}, { disputeStatus: 'Pending' }),
      item('CHARGEBACK_REVERSED', 4),
      item('PREARBITRATION_OPEN', 6, {}, { defendable: 'true' }),
      item('PREARBITRATION_LOST', 6),
    ]
    const { text } = rawOf(life)
    fc.assert(
      fc.property(fc.shuffledSubarray([...life, ...life], { minLength: 12, maxLength: 12 }), (mixed) => {
        expect(rawOf(mixed).text).toBe(text)
      }),
    )
  })

  test('more events never make the facts look older', () => {
    const life = [
      opened(1),
      item('CHARGEBACK_REVERSED', 6),
      item('CHARGEBACK', 5, {}, { disputeStatus: 'Lost' }),
      item('SECOND_CHARGEBACK', 4),
    ]
    fc.assert(
      fc.property(fc.shuffledSubarray(life, { minLength: 4 }), (arriving) => {
        let before: ChargebackFacts | null = null
        for (let count = 1; count <= arriving.length; count++) {
          const facts = factsOf(arriving.slice(0, count))
          if (before) {
            expect(Date.parse(facts.pspStatusChangeDate ?? '')).toBeGreaterThanOrEqual(
              Date.parse(before.pspStatusChangeDate ?? ''),
            )
            expect(facts.pspSequence).toBeGreaterThan(before.pspSequence ?? 0n)
          }
          before = facts
        }
      }),
    )
  })
})
