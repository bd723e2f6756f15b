import { describe, expect, test } from 'vitest'
import { API_VERSION } from '../../../../adapters/stripe/sdk.ts'
import { connectStripe, sampleDispute, sendJson, startLoopback } from '../loopback.ts'

/** A simulated Stripe with one dispute that accepts every request. */
function agreeable(dispute: Record<string, unknown> = inTime()) {
  return startLoopback((request, response) => {
    if (request.path === '/v1/files') return sendJson(response, 200, { id: 'file_1', object: 'file' })
    if (request.path === '/v1/account') return sendJson(response, 200, { id: 'acct_home', object: 'account' })
    if (request.path === '/v1/charges') return sendJson(response, 200, { object: 'list', data: [], has_more: false })
    if (request.path === '/v1/disputes') return sendJson(response, 200, { object: 'list', data: [], has_more: false })
    return sendJson(response, 200, dispute)
  })
}

function inTime(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const details = { ...(sampleDispute().evidence_details as object), due_by: Math.floor(Date.now() / 1000) + 86_400 }
  return sampleDispute({ evidence_details: details, ...changes })
}

const submission = { reference: 'dp_sample1', idempotencyKey: 'submit:1', digest: 'd'.repeat(64) }

describe('requests', () => {
  test('the pinned version, the key, and no telemetry', async () => {
    await using server = await agreeable()
    const adapter = connectStripe(server.url)
    // The SDK sends the telemetry of a call with the next call.
    for (let call = 0; call < 2; call++) await adapter.fetchDispute('dp_sample1')
    for (const { headers, query } of server.seen) {
      expect(headers).toMatchObject({ 'stripe-version': API_VERSION, authorization: 'Bearer sk_test_loopback123' })
      expect(headers['x-stripe-client-telemetry']).toBeUndefined()
      expect(headers['x-stripe-client-user-agent']).not.toContain('telemetry_id')
      expect(query.get('expand[0]')).toBe('charge')
    }
    expect(server.seen).toHaveLength(2)
  })

  test('closing posts an empty body under the given key', async () => {
    await using server = await agreeable()
    await connectStripe(server.url).acceptDispute({ reference: 'dp_sample1', idempotencyKey: 'accept:7' })
    const post = server.seen.find((request) => request.method === 'POST')
    expect(post).toMatchObject({ path: '/v1/disputes/dp_sample1/close', body: '' })
    expect(post?.headers['idempotency-key']).toBe('accept:7')
    expect(post?.headers['content-length']).toBe('0')
  })

  test('submit is always set: false while staging, true when submitting', async () => {
    await using server = await agreeable()
    const adapter = connectStripe(server.url)
    const request = { ...submission, files: { receipt: 'file_1' }, texts: { product_description: 'Ein Buch' } }
    await adapter.stageEvidence(request)
    await adapter.submitEvidence(request)
    const posts = server.seen.filter((seen) => seen.method === 'POST')
    const forms = posts.map((post) => Object.fromEntries(new URLSearchParams(post.body)))
    const evidence = { 'evidence[receipt]': 'file_1', 'evidence[product_description]': 'Ein Buch' }
    const metadata = { 'metadata[recoup_evidence]': 'd'.repeat(64) }
    expect(forms).toEqual([
      { ...evidence, ...metadata, submit: 'false' },
      { ...evidence, ...metadata, submit: 'true' },
    ])
    // Stripe refuses the same key with different parameters.
    expect(posts.map((post) => post.headers['idempotency-key'])).toEqual(['stage:submit:1', 'submit:1'])
  })

  test('staging keeps Smart Disputes from submitting first', async () => {
    await using server = await agreeable(inTime({ intended_submission_method: 'prefer_smart_disputes' }))
    await connectStripe(server.url).stageEvidence({ ...submission, files: {}, texts: { customer_name: 'J' } })
    const form = new URLSearchParams(server.seen.find((seen) => seen.method === 'POST')?.body)
    expect(form.get('intended_submission_method')).toBe('manual')
  })

  test('a fee is never acknowledged automatically', async () => {
    await using server = await agreeable()
    await connectStripe(server.url).submitEvidence({ ...submission, files: {}, texts: { customer_name: 'J' } })
    expect(server.seen.map((seen) => seen.body).join()).not.toContain('fee_acknowledged')
  })

  test('an appeal sends only its own evidence', async () => {
    await using server = await agreeable(inTime({ status: 'appeal_needs_response' }))
    const adapter = connectStripe(server.url)
    const requirements = await adapter.describeEvidence('dp_sample1')
    expect(Object.keys(requirements.textFields)).toEqual(['appeal.reason_for_filing'])
    await adapter.submitEvidence({
      ...submission,
      files: { 'appeal.supporting_file_1': 'file_1', 'appeal.supporting_file_2': 'file_2' },
      texts: { 'appeal.reason_for_filing': 'new proof' },
    })
    const form = Object.fromEntries(new URLSearchParams(server.seen.find((seen) => seen.method === 'POST')?.body))
    expect(form).toMatchObject({
      'evidence[appeal][card][reason_for_filing]': 'new proof',
      'evidence[appeal][card][supporting_files][0]': 'file_1',
      'evidence[appeal][card][supporting_files][1]': 'file_2',
    })
  })

  test('a file is uploaded as multipart to the same address', async () => {
    await using server = await agreeable()
    const file = { name: 'a.pdf', type: 'application/pdf', data: Buffer.from('%PDF-') }
    const { fileReference } = await connectStripe(server.url).uploadFile({
      reference: 'dp_sample1',
      file,
      idempotencyKey: 'file:1',
    })
    expect(fileReference).toBe('file_1')
    expect(server.seen[0]?.headers['content-type']).toMatch('multipart/form-data')
    expect(server.seen[0]?.body).toMatch(/name="purpose"[\s\S]*dispute_evidence[\s\S]*filename="a.pdf"/)
  })
})

describe('the account of a request', () => {
  const contexts = (server: { seen: { path: string; headers: Record<string, unknown> }[] }) =>
    server.seen.map((request) => [request.path, request.headers['stripe-context']])

  test('the key’s own account needs no header', async () => {
    await using server = await agreeable()
    await connectStripe(server.url).fetchDispute('dp_sample1')
    expect(contexts(server)).toEqual([['/v1/disputes/dp_sample1', undefined]])
  })

  test('another account is named in the header', async () => {
    await using server = await agreeable()
    await connectStripe(server.url, { externalIdentifier: 'acct_other' }).fetchDispute('dp_sample1')
    expect(contexts(server)).toEqual([['/v1/disputes/dp_sample1', 'acct_other']])
  })

  test('the account is named while the key’s own is unknown: an error is better than a wrong account', async () => {
    await using server = await agreeable()
    await connectStripe(server.url, { pspAccount: null }).fetchDispute('dp_sample1')
    expect(contexts(server)).toEqual([['/v1/disputes/dp_sample1', 'acct_home']])
  })

  test('an identifier that is no account is not sent', async () => {
    await using server = await agreeable()
    await connectStripe(server.url, { externalIdentifier: 'my shop', pspAccount: null }).fetchDispute('dp_sample1')
    expect(contexts(server)).toEqual([['/v1/disputes/dp_sample1', undefined]])
  })

  test('a restricted key that may not read the account or charges is accepted, and the report says so', async () => {
    await using server = await startLoopback((request, response) =>
      request.path === '/v1/disputes'
        ? sendJson(response, 200, { object: 'list', data: [], has_more: false })
        : sendJson(response, 403, { error: { type: 'invalid_request_error' } }),
    )
    const report = await connectStripe(server.url, { pspAccount: null }).checkCredentials()
    const states = Object.fromEntries(report.findings.map((finding) => [finding.permission, finding.state]))
    expect(report.pspAccount).toBeNull()
    expect(states).toEqual({
      'Disputes: read': 'ok',
      'Charges: read': 'missing',
      'Account: read': 'missing',
      'Disputes: write': 'unverified',
      'Files: write': 'unverified',
    })
  })
})

describe('ids', () => {
  test.each(['', 'dp_', '../v1/account', 'ch_1', 'dp_1/close', 'dp_1?x=1'])(
    '%j is refused before any call',
    async (id) => {
      await using server = await agreeable()
      const adapter = connectStripe(server.url)
      await expect(adapter.fetchDispute(id)).rejects.toMatchObject({ kind: 'invalid_request' })
      await expect(adapter.acceptDispute({ reference: id, idempotencyKey: 'k' })).rejects.toMatchObject({
        kind: 'invalid_request',
      })
      expect(server.seen).toEqual([])
    },
  )

  test('a response with another dispute is an invalid response', async () => {
    await using server = await agreeable(inTime({ id: 'dp_other' }))
    await expect(connectStripe(server.url).fetchDispute('dp_sample1')).rejects.toMatchObject({ kind: 'unavailable' })
  })
})

describe('closing', () => {
  /** A dispute with status `before` until the close, which gets `reply`, and status `after` since. */
  async function closing(before: string, reply: { status: number; body: unknown }, after: string) {
    let closed = false
    const server = await startLoopback((request, response) => {
      if (request.method === 'GET') return sendJson(response, 200, inTime({ status: closed ? after : before }))
      closed = true
      return sendJson(response, reply.status, reply.body)
    })
    return server
  }
  const refused = { status: 400, body: { error: { type: 'invalid_request_error' } } }

  test.each([
    ['lost', false, 'rejected_final'],
    ['lost', true, 'rejected_final'],
    ['needs_response', false, 'invalid_request'],
    ['won', false, 'rejected_final'],
    ['under_review', false, 'rejected_final'],
  ])('a refusal after which the dispute is %s, sent before: %s, means %s', async (after, sent, expected) => {
    await using server = await closing('needs_response', refused, after)
    const accept = connectStripe(server.url).acceptDispute({ reference: 'dp_sample1', idempotencyKey: 'k', sent })
    const got = await accept.then(
      (receipt) => receipt.result,
      (error) => error.kind,
    )
    expect(got).toBe(expected)
  })

  test.each(['won', 'under_review', 'prevented'])('a dispute that is %s is never closed', async (status) => {
    await using server = await agreeable(inTime({ status }))
    const accept = connectStripe(server.url).acceptDispute({ reference: 'dp_sample1', idempotencyKey: 'k' })
    await expect(accept).rejects.toMatchObject({ kind: 'rejected_final' })
    expect(server.seen.every((request) => request.method === 'GET')).toBe(true)
  })

  test('a dispute in an unknown status is never closed, and the probe returns unknown', async () => {
    await using server = await agreeable(inTime({ status: 'arbitration' }))
    const adapter = connectStripe(server.url)
    await expect(adapter.acceptDispute({ reference: 'dp_sample1', idempotencyKey: 'k' })).rejects.toMatchObject({
      kind: 'invalid_request',
    })
    expect(await adapter.probe({ kind: 'acceptance', reference: 'dp_sample1' })).toMatchObject({ answer: 'unknown' })
  })

  test('an inquiry that closing ended is accepted, whichever status Stripe gives it', async () => {
    for (const after of ['lost', 'warning_closed']) {
      await using server = await closing(
        'warning_needs_response',
        { status: 200, body: inTime({ status: after }) },
        after,
      )
      const adapter = connectStripe(server.url)
      const question = { kind: 'acceptance', reference: 'dp_sample1', sent: true } as const
      expect((await adapter.acceptDispute({ reference: 'dp_sample1', idempotencyKey: 'k' })).result).toBe('applied')
      expect((await adapter.probe({ ...question, taken: true })).answer).toBe('done')
    }
  })
})
