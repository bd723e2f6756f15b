import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { requirementsOf } from '../../../../adapters/stripe/evidence.ts'
import { connectStripe, sampleDispute, sendJson, startLoopback } from '../loopback.ts'

const digest = 'd'.repeat(64)
const refused = { error: { type: 'invalid_request_error' } }
const details = (changes: object = {}) => ({
  evidence_details: {
    ...(sampleDispute().evidence_details as object),
    due_by: Math.floor(Date.now() / 1000) + 86_400,
    ...changes,
  },
})
const submission = {
  ...{ reference: 'dp_sample1', idempotencyKey: 'k', digest },
  ...{ files: {}, texts: { product_description: 'A book' } },
}

/** Simulates Stripe with one dispute, which a write changes; `write` sends the response to it. */
function stripeWith(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  write: (response: ServerResponse, form: URLSearchParams) => void,
) {
  let written = false
  return startLoopback((request, response) => {
    if (request.method === 'GET') return sendJson(response, 200, sampleDispute(written ? after : before))
    written = true
    return write(response, new URLSearchParams(request.body))
  })
}

describe('what each status means for an acceptance', () => {
  const cases: [string, [accepted: string, probed: string], [accepted: string, probed: string]][] = [
    ['needs_response', ['applied', 'not_done'], ['applied', 'not_done']],
    ['warning_needs_response', ['applied', 'not_done'], ['applied', 'not_done']],
    ['appeal_needs_response', ['applied', 'not_done'], ['applied', 'not_done']],
    // Stripe's response to the repeated call decides: here Stripe accepts it.
    ['lost', ['rejected_final', 'impossible'], ['applied', 'unknown']],
    // Closing an inquiry may lead to this status, so "failed" could be wrong.
    ['warning_closed', ['rejected_final', 'impossible'], ['applied', 'unknown']],
    ['won', ['rejected_final', 'impossible'], ['rejected_final', 'impossible']],
    ['prevented', ['rejected_final', 'impossible'], ['rejected_final', 'impossible']],
    ['under_review', ['rejected_final', 'impossible'], ['rejected_final', 'impossible']],
    ['warning_under_review', ['rejected_final', 'impossible'], ['rejected_final', 'impossible']],
    // An appeal follows a loss, which our call may have caused.
    ['appeal_under_review', ['rejected_final', 'impossible'], ['rejected_final', 'unknown']],
    ['a_new_word', ['invalid_request', 'unknown'], ['invalid_request', 'unknown']],
  ]
  test.each(
    cases.flatMap(([status, never, maybe]) => [
      { status, sent: false, expected: never },
      { status, sent: true, expected: maybe },
    ]),
  )('$status, a call of ours may have arrived: $sent', async ({ status, sent, expected }) => {
    const closed = sampleDispute({ status: 'lost' })
    const before = { status, ...details() }
    await using server = await stripeWith(before, { status: 'lost' }, (response) => sendJson(response, 200, closed))
    const adapter = connectStripe(server.url)
    const { answer, why } = await adapter.probe({ kind: 'acceptance', reference: 'dp_sample1', sent })
    const got = await adapter.acceptDispute({ reference: 'dp_sample1', idempotencyKey: 'k', sent }).then(
      ({ result }) => result,
      (error) => error.kind,
    )
    expect([got, answer]).toEqual(expected)
    if (answer === 'impossible') expect(why.length).toBeGreaterThan(20)
  })

  test.each([
    ['the due date had not passed', 3600, { answer: 'unknown', repeatable: true }],
    ['the due date had passed', -3600, { answer: 'unknown', repeatable: undefined }],
  ])('a dispute that is lost after a call whose response was lost, if %s', async (_, seconds, expected) => {
    const due_by = Math.floor(Date.now() / 1000) + seconds
    const lost = { status: 'lost', ...details({ due_by }) }
    await using server = await stripeWith(lost, lost, (response) => sendJson(response, 200, {}))
    const question = { kind: 'acceptance', reference: 'dp_sample1', sent: true } as const
    const { answer, repeatable } = await connectStripe(server.url).probe(question)
    expect({ answer, repeatable }).toEqual(expected)
    expect((await connectStripe(server.url).probe({ ...question, taken: true })).answer).toBe('done')
  })

  test('an unknown status is not reported as "under review"', () => {
    const raw = { reference: 'dp_sample1', text: JSON.stringify(sampleDispute({ status: 'a_new_word' })) }
    expect(requirementsOf(raw, new Date())).toMatchObject({
      answerable: false,
      reason: 'Stripe has this dispute in a status that this version does not know.',
    })
  })
})

describe('after a refused submission the dispute is read once more', () => {
  const counted = { status: 'under_review', ...details({ submission_count: 1, submission_method: 'manual' }) }
  test.each([
    ['our evidence was submitted', { ...counted, metadata: { recoup_evidence: digest } }, 'already_applied'],
    ['other evidence was submitted', { ...counted, metadata: {} }, 'rejected_final'],
    [
      'Smart Disputes has submitted',
      { status: 'under_review', ...details({ submission_count: 1, submission_method: 'smart_disputes' }) },
      'rejected_final',
    ],
    ['the dispute was decided', { status: 'lost' }, 'rejected_final'],
    ['nothing changed', details(), 'invalid_request'],
  ])('%s', async (_, after, expected) => {
    await using server = await stripeWith(details(), after, (response) => sendJson(response, 400, refused))
    const got = await connectStripe(server.url)
      .submitEvidence({ ...submission, sent: true })
      .then(
        ({ result }) => result,
        (error) => error.kind,
      )
    expect(got).toBe(expected)
    expect(server.seen.map((request) => request.method)).toEqual(['GET', 'POST', 'GET'])
  })
})

describe('opting out of Smart Disputes', () => {
  const smart = { ...details(), intended_submission_method: 'smart_disputes' }
  const staged = sampleDispute({ metadata: { recoup_evidence: digest } })

  test('is left out if it is not available, and the evidence is staged', async () => {
    await using server = await stripeWith(smart, smart, (response, form) =>
      form.has('intended_submission_method')
        ? sendJson(response, 400, { error: { ...refused.error, code: 'smart_disputes_not_available' } })
        : sendJson(response, 200, staged),
    )
    expect((await connectStripe(server.url).stageEvidence(submission)).result).toBe('applied')
    const posts = server.seen.filter((request) => request.method === 'POST')
    const forms = posts.map((request) => new URLSearchParams(request.body))
    expect(forms.map((form) => form.get('intended_submission_method'))).toEqual(['manual', null])
    expect(forms.map((form) => form.get('submit'))).toEqual(['false', 'false'])
    const keys = posts.map((request) => request.headers['idempotency-key'])
    expect(new Set(keys).size).toBe(2)
  })

  test('a refusal for another reason is reported unchanged', async () => {
    await using server = await stripeWith(smart, smart, (response) =>
      sendJson(response, 400, { error: { ...refused.error, code: 'dispute_evidence_page_limit_exceeded' } }),
    )
    await expect(connectStripe(server.url).stageEvidence(submission)).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringMatching('pages'),
    })
  })

  test('no other refusal is retried', async () => {
    await using server = await stripeWith(details(), details(), (response) => sendJson(response, 400, refused))
    await expect(connectStripe(server.url).stageEvidence(submission)).rejects.toMatchObject({ kind: 'invalid_request' })
    expect(server.seen.filter((request) => request.method === 'POST')).toHaveLength(1)
  })
})

describe('a response that does not show the effect yet', () => {
  const open = details()
  const unchanged = (response: ServerResponse) => sendJson(response, 200, sampleDispute(open))

  test.each(['acceptDispute', 'stageEvidence', 'submitEvidence'] as const)('%s is pending', async (write) => {
    await using server = await stripeWith(open, open, unchanged)
    expect((await connectStripe(server.url)[write](submission)).result).toBe('pending')
  })
})
