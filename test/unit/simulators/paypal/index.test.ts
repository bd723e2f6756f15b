import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { multipartBody } from '../../../../adapters/paypal/sdk/multipart.ts'
import { type RunningSimulator, startSimulator } from '../../../../simulators/engine/serve.ts'
import { paypalSimulator } from '../../../../simulators/paypal/index.ts'
import { CLIENT_SECRET, clientIdOf, DEMO_ACCOUNT, SECOND_ACCOUNT } from '../../../../simulators/paypal/keys.ts'

const DISPUTES = '/v1/customer/disputes'
let running: RunningSimulator
let bearer = ''

beforeEach(async () => {
  running = await startSimulator(paypalSimulator)
  bearer = await tokenOf(clientIdOf(DEMO_ACCOUNT))
})
afterEach(() => running[Symbol.asyncDispose]())

async function mint(clientId: string, secret = CLIENT_SECRET, body = 'grant_type=client_credentials') {
  const headers = {
    authorization: `Basic ${btoa(`${clientId}:${secret}`)}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  return fetch(`${running.url}/v1/oauth2/token`, { method: 'POST', headers, body })
}
async function tokenOf(clientId: string) {
  const response = (await (await mint(clientId)).json()) as { access_token: string }
  return `Bearer ${response.access_token}`
}
async function call(method: string, path: string, body?: string | Uint8Array<ArrayBuffer>, type = 'application/json') {
  const headers = { authorization: bearer, ...(body !== undefined && { 'content-type': type }) }
  const response = await fetch(`${running.url}${path}`, { method, headers, ...(body !== undefined && { body }) })
  const text = await response.text()
  // biome-ignore lint/suspicious/noExplicitAny: any response of PayPal
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as any }
}
const issueOf = (response: { status: number; body: { details?: { issue: string }[] } }) => [
  response.status,
  response.body.details?.[0]?.issue,
]
async function control<T>(path: string, body: object): Promise<T> {
  const response = await fetch(`${running.controlUrl}${path}`, { method: 'POST', body: JSON.stringify(body) })
  return (await response.json()) as T
}
async function create(order: object): Promise<string[]> {
  const { disputes } = await control<{ disputes: { ref: string }[] }>('/disputes', order)
  return disputes.map((dispute) => dispute.ref)
}

describe('the token', () => {
  test.each([
    ['a wrong secret', () => mint(clientIdOf(DEMO_ACCOUNT), 'wrong'), 401],
    ['an unknown app', () => mint('AVnobody'), 401],
    ['another grant', () => mint(clientIdOf(DEMO_ACCOUNT), CLIENT_SECRET, 'grant_type=password'), 400],
  ])('is refused for %s', async (_, work, status) => expect((await work()).status).toBe(status))

  test('states its scopes and its lifetime', async () => {
    const response = (await (await mint(clientIdOf(DEMO_ACCOUNT))).json()) as Record<string, unknown>
    expect(response).toMatchObject({
      token_type: 'Bearer',
      expires_in: 32_400,
      scope: expect.stringContaining('read-seller'),
    })
  })

  test('expires', async () => {
    await control('/clock', { seconds: 32_401 })
    const response = await call('GET', DISPUTES)
    expect([response.status, response.body.error]).toEqual([401, 'invalid_token'])
  })

  test('may be minted sixty times a minute', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 61; i++) statuses.push((await mint(clientIdOf(SECOND_ACCOUNT))).status)
    expect([statuses[59], statuses[60]]).toEqual([200, 429])
  })

  test('gives access only to its own merchant’s disputes', async () => {
    await create({ count: 2 })
    const [theirs] = await create({ count: 1, account: SECOND_ACCOUNT })
    expect((await call('GET', `${DISPUTES}/${theirs}`)).status).toBe(404)
    bearer = await tokenOf(clientIdOf(SECOND_ACCOUNT))
    expect((await call('GET', DISPUTES)).body.items).toHaveLength(1)
  })
})

describe('the list', () => {
  test('omits items if it has none', async () => expect((await call('GET', DISPUTES)).body).not.toHaveProperty('items'))

  test('shows times in seconds where a detail shows milliseconds, links on other hosts, and no action', async () => {
    const [reference] = await create({ count: 1 })
    const { body, headers } = await call('GET', DISPUTES)
    const shown = (await call('GET', `${DISPUTES}/${reference}`)).body
    expect(body.items[0].update_time).toMatch(/\.000Z$/)
    expect(shown.update_time).not.toMatch(/\.000Z$/)
    expect(body.items[0].links.map((link: { rel: string }) => link.rel)).toEqual(['self'])
    expect(new URL(body.links[0].href).host).toBe('api.sandbox.paypal.com')
    expect(headers.get('paypal-debug-id')).toBeTruthy()
  })

  const ahead = () => new Date(Date.now() + 3_600_000).toISOString()
  const ancient = () => new Date(Date.now() - 181 * 86_400_000).toISOString()
  test.each([
    ['a large page', () => 'page_size=51', 'INVALID_PAGE_SIZE'],
    ['page 51', () => 'page=51', 'INVALID_PAGE'],
    ['a future time', () => `update_time_after=${ahead()}`, 'DATE_CAN_NOT_BE_IN_FUTURE'],
    ['a time 181 days ago', () => `update_time_after=${ancient()}`, 'INVALID_START_TIME_RANGE'],
    ['a day without time', () => 'update_time_after=2026-01-01', 'INVALID_START_TIME_FORMAT'],
    ['an unknown parameter', () => 'limit=10', 'UNKNOWN_PARAMETER'],
    ['an unknown transaction', () => 'disputed_transaction_id=NONE', 'INVALID_TRANSACTION_ID'],
  ])('refuses %s', async (_, query, issue) =>
    expect(issueOf(await call('GET', `${DISPUTES}?${query()}`))).toEqual([400, issue]),
  )

  test('filters by transaction and by state', async () => {
    const [reference] = await create({ count: 30 })
    const shown = (await call('GET', `${DISPUTES}/${reference}`)).body
    const id = shown.disputed_transactions[0].seller_transaction_id
    expect((await call('GET', `${DISPUTES}?disputed_transaction_id=${id}`)).body.items).toHaveLength(1)
    const { body } = await call('GET', `${DISPUTES}?dispute_state=REQUIRED_ACTION,APPEALABLE&page_size=50`)
    const states = new Set(body.items.map((item: { dispute_state: string }) => item.dispute_state))
    expect([...states].sort()).toEqual(['APPEALABLE', 'REQUIRED_ACTION'])
  })

  test('moves a changed dispute into the window', async () => {
    const [reference] = await create({ count: 1, status: 'under_review', ageDays: 30 })
    const after = new Date(Date.now() - 60_000).toISOString()
    expect((await call('GET', `${DISPUTES}?update_time_after=${after}`)).body.items).toBeUndefined()
    await control(`/disputes/${reference}/decide`, { outcome: 'won' })
    expect((await call('GET', `${DISPUTES}?update_time_after=${after}`)).body.items).toHaveLength(1)
  })
})

describe('actions', () => {
  const file = { name: 'a.pdf', type: 'application/pdf', data: Buffer.from('%PDF-1') }
  const post = (
    reference: string | undefined,
    action: string,
    body: { type: string; content: string | Uint8Array<ArrayBuffer> },
  ) => call('POST', `${DISPUTES}/${reference}/${action}`, body.content, body.type)
  const evidence = (piece: object, files = [file], documents: object[] = [{ name: 'a.pdf' }]) =>
    multipartBody({ evidences: [{ ...(documents.length > 0 && { documents }), ...piece }] }, files)

  test('accepting needs only a note', async () => {
    const [reference] = await create({ count: 1, status: 'needs_response' })
    const response = await call('POST', `${DISPUTES}/${reference}/accept-claim`, '{"note":"ok"}')
    expect([response.status, Object.keys(response.body)]).toEqual([200, ['links']])
    expect((await call('GET', `${DISPUTES}/${reference}`)).body.dispute_outcome.outcome_code).toBe(
      'RESOLVED_BUYER_FAVOUR',
    )
  })

  test.each([
    ['no note', '{}', 'INVALID_NOTE'],
    ['a note too long', `{"note":"${'x'.repeat(2001)}"}`, 'INVALID_NOTE'],
    ['an amount', '{"note":"x","refund_amount":{}}', 'AMOUNT_SHOULD_NOT_BE_PASSED'],
    ['an unknown field', '{"note":"x","reason":"y"}', 'UNKNOWN_FIELD'],
    ['an unknown type', '{"note":"x","accept_claim_type":"GIFT"}', 'INVALID_ACCEPT_CLAIM_TYPE'],
  ])('accepting with %s is refused', async (_, body, issue) => {
    const [reference] = await create({ count: 1, status: 'needs_response' })
    expect(issueOf(await call('POST', `${DISPUTES}/${reference}/accept-claim`, body))).toEqual([400, issue])
  })

  test('an action without its link returns 422', async () => {
    const [reference] = await create({ count: 1, status: 'won' })
    const response = await call('POST', `${DISPUTES}/${reference}/accept-claim`, '{"note":"ok"}')
    expect(issueOf(response)).toEqual([422, 'ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE'])
  })

  test('evidence as JSON returns 415', async () => {
    const [reference] = await create({ count: 1, status: 'needs_response', stage: 'chargeback' })
    expect((await call('POST', `${DISPUTES}/${reference}/provide-evidence`, '{"evidences":[]}')).status).toBe(415)
  })

  test.each([
    ['no type', evidence({}), 'MISSING_EVIDENCE_TYPE'],
    ['no content', evidence({ evidence_type: 'OTHER' }, [], []), 'MISSING_EVIDENCE_INFO'],
    ['no tracking', evidence({ evidence_type: 'PROOF_OF_FULFILLMENT' }), 'MISSING_TRACKING_INFO'],
    ['no refund', evidence({ evidence_type: 'PROOF_OF_REFUND' }), 'MISSING_REFUND_ID'],
    ['a name without a file', evidence({ evidence_type: 'OTHER' }, []), 'INVALID_EVIDENCE_FILE'],
    ['two dots', evidence({ evidence_type: 'OTHER' }, [{ ...file, name: 'a.b.pdf' }]), 'INVALID_EVIDENCE_FILE'],
    ['a wrong suffix', evidence({ evidence_type: 'OTHER' }, [{ ...file, name: 'a.png' }]), 'INVALID_EVIDENCE_FILE'],
    [
      'two pieces',
      multipartBody(
        {
          evidences: [
            { evidence_type: 'OTHER', notes: 'a' },
            { evidence_type: 'OTHER', notes: 'b' },
          ],
        },
        [],
      ),
      'ITEM_ID_IS_MANDATORY_FOR_MULTIPLE_EVIDENCES',
    ],
  ])('evidence with %s is refused', async (_, body, issue) => {
    const [reference] = await create({ count: 1, status: 'needs_response', stage: 'chargeback', reason: '10.4' })
    expect(issueOf(await post(reference, 'provide-evidence', body))).toEqual([400, issue])
  })

  test('a proof of fulfillment for goods not as described is refused', async () => {
    const [reference] = await create({ count: 1, status: 'needs_response', stage: 'chargeback', reason: '13.3' })
    const response = await post(reference, 'provide-evidence', evidence({ evidence_type: 'PROOF_OF_FULFILLMENT' }))
    expect(issueOf(response)).toEqual([400, 'INVALID_EVIDENCE_TYPE_PROOF_OF_FULFILLMENT'])
  })

  test.each([
    ['a filename', 'Content-Disposition: form-data; name="input"; filename="blob"\r\nContent-Type: application/json'],
    ['no type', 'Content-Disposition: form-data; name="input"'],
  ])('a JSON part with %s is refused', async (_, head) => {
    const [reference] = await create({ count: 1, status: 'needs_response', stage: 'chargeback' })
    const content = `--b\r\n${head}\r\n\r\n{"evidences":[{"evidence_type":"OTHER","notes":"x"}]}\r\n--b--\r\n`
    const response = await post(reference, 'provide-evidence', { type: 'multipart/form-data; boundary=b', content })
    expect(issueOf(response)).toEqual([400, 'INVALID_INPUT_PART'])
  })

  test('PayPal’s sandbox can ask for evidence again and decide, but only under review', async () => {
    const [reference] = await create({ count: 1, status: 'under_review', stage: 'claim' })
    await call('POST', `${DISPUTES}/${reference}/require-evidence`, '{"action":"SELLER_EVIDENCE"}')
    expect((await call('GET', `${DISPUTES}/${reference}`)).body.status).toBe('WAITING_FOR_SELLER_RESPONSE')
    const body = '{"adjudication_outcome":"SELLER_FAVOR"}'
    expect((await call('POST', `${DISPUTES}/${reference}/adjudicate`, body)).status).toBe(422)
    await post(reference, 'provide-evidence', evidence({ evidence_type: 'OTHER' }))
    expect((await call('POST', `${DISPUTES}/${reference}/adjudicate`, body)).status).toBe(200)
    expect((await call('GET', `${DISPUTES}/${reference}`)).body.dispute_outcome.outcome_code).toBe(
      'RESOLVED_SELLER_FAVOUR',
    )
  })
})
