import { describe, expect, test } from 'vitest'
import { incomplete } from '../../../../adapters/braintree/companions.ts'
import { requirementsOf } from '../../../../adapters/braintree/evidence.ts'
import { planSubmission } from '../../../../adapters/braintree/plan.ts'

describe('what a dispute accepts', () => {
  const raw = (changes: object) => ({
    reference: 'd1',
    text: JSON.stringify({ status: 'open', replyByDate: '2026-03-24', remainingFileEvidenceStorage: 1000, ...changes }),
  })

  test('up to its remaining storage', () => {
    const { maxTotalBytes, dueDate, answerable } = requirementsOf(raw({}))
    expect([maxTotalBytes, dueDate, answerable]).toEqual([1000, '2026-03-25T12:00:00.000Z', true])
  })

  test.each([
    ['disputed', { status: 'disputed' }],
    ['decided by Visa', { preDisputeProgram: 'visa_rdr' }],
    ['without a reply-by date', { replyByDate: null }],
    ['in an unknown status', { status: 'of_next_year' }],
  ])('nothing if it is %s', (_, changes) => {
    expect(requirementsOf(raw(changes)).answerable).toBe(false)
  })
})

describe('texts that require each other', () => {
  const dropped = (texts: Record<string, string>, files: string[] = []) =>
    [...incomplete({ texts, files }).keys()].sort()
  const of = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'x']))

  test.each([
    [of('DEVICE_ID'), [], ['DEVICE_ID']],
    [of('DEVICE_ID', 'DEVICE_NAME'), [], ['DEVICE_ID', 'DEVICE_NAME']],
    [of('DOWNLOAD_DATE_TIME', 'DEVICE_ID', 'DEVICE_NAME'), [], ['DEVICE_ID', 'DEVICE_NAME', 'DOWNLOAD_DATE_TIME']],
    [of('DOWNLOAD_DATE_TIME', 'DEVICE_ID', 'DEVICE_NAME'), ['PROFILE_SETUP_OR_APP_ACCESS'], []],
    [of('DOWNLOAD_DATE_TIME', 'PURCHASER_NAME', 'PURCHASER_EMAIL_ADDRESS'), [], ['DOWNLOAD_DATE_TIME']],
    [of('PRIOR_NON_DISPUTED_TRANSACTION_ARN'), [], ['PRIOR_NON_DISPUTED_TRANSACTION_ARN']],
    [of('PRIOR_NON_DISPUTED_TRANSACTION_ARN', 'PRIOR_NON_DISPUTED_TRANSACTION_DATE_TIME'), [], []],
    [
      of('RECURRING_TRANSACTION_ARN', 'RECURRING_TRANSACTION_ID'),
      [],
      ['RECURRING_TRANSACTION_ARN', 'RECURRING_TRANSACTION_ID'],
    ],
    [of('RECURRING_TRANSACTION_ID'), [], ['RECURRING_TRANSACTION_ID']],
    [
      of(...['ID', 'ARN', 'DATE_TIME'].map((name) => `PRIOR_NON_DISPUTED_TRANSACTION_${name}`)),
      [],
      ['PRIOR_NON_DISPUTED_TRANSACTION_ID'],
    ],
    [of(...['ID', 'DATE_TIME', 'IP_ADDRESS'].map((name) => `PRIOR_NON_DISPUTED_TRANSACTION_${name}`)), [], []],
    [of('GENERAL', 'TRACKING_NUMBER', 'REFUND_ID'), [], []],
  ])('%j with documents %j', (texts, files, expected) => {
    expect(dropped(texts, files)).toEqual(expected)
  })

  test('are left out of the plan, with the reason', () => {
    const requirements = requirementsOf({ reference: 'd', text: '{"status":"open","replyByDate":"2026-03-24"}' })
    const plan = planSubmission(requirements, { files: [], texts: { GENERAL: 'x', DEVICE_ID: 'y' } })
    expect(plan.texts).toEqual({ GENERAL: 'x' })
    expect(plan.dropped.map(({ what }) => what)).toEqual(['DEVICE_ID'])
  })
})

describe('texts that Braintree would refuse, or that would be useless if shortened', () => {
  const requirements = requirementsOf({ reference: 'd', text: '{"status":"open","replyByDate":"2026-03-24"}' })
  const planned = (texts: Record<string, string>) => planSubmission(requirements, { files: [], texts })

  test.each([
    ['CREDIT_ISSUED_DATE_TIME', 'soon', 'it is no date'],
    ['PURCHASER_EMAIL_ADDRESS', 'ada at example', 'it is no e-mail address'],
    ['CREDIT_ISSUED_ARN', '7'.repeat(24), 'it is longer than 23 characters'],
    ['TRACKING_NUMBER', '1Z'.repeat(200), 'it is longer than 255 characters'],
  ])('%s "%s" is left out', (category, text, why) => {
    const { texts, dropped } = planned({ GENERAL: 'x', [category]: text })
    expect([texts, dropped]).toEqual([{ GENERAL: 'x' }, [{ what: category, why }]])
  })

  test('prose is shortened', () => {
    const { texts, shortened } = planned({ GEOGRAPHICAL_LOCATION: 'a'.repeat(60) })
    expect(texts.GEOGRAPHICAL_LOCATION).toHaveLength(50)
    expect(shortened).toEqual([{ field: 'GEOGRAPHICAL_LOCATION', from: 60, to: 50 }])
  })

  test('valid texts are sent unchanged', () => {
    const texts = { CREDIT_ISSUED_DATE_TIME: '2026-03-07T16:56:14Z', PURCHASER_EMAIL_ADDRESS: 'ada@example.com' }
    expect(planned(texts).texts).toEqual(texts)
  })
})
