import { describe, expect, test } from 'vitest'
import { KEY_LENGTH } from '../../../../adapters/adyen/client.ts'
import { sendJson, startLoopback } from '../loopback.ts'
import { ACCOUNT, connectAdyen, DISPUTE, delivery, inboxOf, item, opened, PAYMENT } from './adyen.ts'

const DONE = { disputeServiceResult: { success: true } }
const DECLINED = { disputeServiceResult: { success: false, errorMessage: 'secret text of Adyen 4111111111111111' } }
const REASONS = {
  defenseReasons: [
    {
      defenseReasonCode: 'SupplyDefenseMaterial',
      satisfied: false,
      defenseDocumentTypes: [
        { defenseDocumentTypeCode: 'DefenseMaterial', requirementLevel: 'Required', available: false },
      ],
    },
  ],
  disputeServiceResult: { success: true },
}
const openDispute = () => inboxOf([delivery([opened()])])

/** Simulates an Adyen with the same response to every operation. */
function responding(status: number, body: unknown, headers: Record<string, string> = {}) {
  return startLoopback((_, response) => sendJson(response, status, body, headers))
}

function byOperation(responses: Record<string, unknown>) {
  return startLoopback((request, response) =>
    sendJson(response, 200, responses[request.path.split('/').at(-1) ?? ''] ?? DONE),
  )
}

const accept = (baseUrl: string, inbox = openDispute(), overrides = {}) =>
  connectAdyen({ baseUrl, inbox, ...overrides }).acceptDispute({ reference: DISPUTE, idempotencyKey: 'accept:1' })
const describeIt = (baseUrl: string) => connectAdyen({ baseUrl, inbox: openDispute() }).describeEvidence(DISPUTE)

describe('the request', () => {
  test('goes to the versioned path with the key, the account, the dispute and an idempotency key', async () => {
    await using psp = await responding(200, DONE)
    await accept(psp.url)
    const [request] = psp.seen
    expect(request).toMatchObject({ method: 'POST', path: '/ca/services/DisputeService/v30/acceptDispute' })
    expect(request?.headers).toMatchObject({ 'x-api-key': 'AQEloopback', 'content-type': 'application/json' })
    expect(JSON.parse(request?.body ?? '')).toEqual({ merchantAccountCode: ACCOUNT, disputePspReference: DISPUTE })
    expect(request?.headers['idempotency-key']).toMatch(/^[0-9a-f]{64}$/)
    expect(KEY_LENGTH).toBe(64)
  })

  test('has another idempotency key in another operation, and the same on a repetition', async () => {
    await using psp = await byOperation({ retrieveApplicableDefenseReasons: REASONS })
    const adapter = connectAdyen({ baseUrl: psp.url, inbox: inboxOf([delivery([opened()])]) })
    const documents = {
      'SupplyDefenseMaterial/DefenseMaterial': { name: 'a.pdf', type: 'application/pdf', data: Buffer.from('%PDF-') },
    }
    const request = { reference: DISPUTE, idempotencyKey: 'same', digest: 'd', files: {}, texts: {}, documents }
    await adapter.stageEvidence(request)
    await adapter.submitEvidence(request)
    await accept(psp.url)
    await accept(psp.url)
    const keys = psp.seen.map((seen) => seen.headers['idempotency-key']).filter((key) => key !== undefined)
    expect(keys).toHaveLength(4)
    expect(new Set(keys).size).toBe(3)
  })

  test('contains the account of the merchantCode', async () => {
    await using psp = await responding(200, DONE)
    const secret = { hmac: 'AB'.repeat(32), apiKey: 'AQEkey', merchantCode: ACCOUNT }
    await connectAdyen({ baseUrl: psp.url, secret, externalIdentifier: ACCOUNT }).checkCredentials()
    expect(JSON.parse(psp.seen[0]?.body ?? '').merchantAccountCode).toBe(ACCOUNT)
  })

  test('is never sent for an invalid reference', async () => {
    await using psp = await responding(200, DONE)
    const work = connectAdyen({ baseUrl: psp.url }).acceptDispute({
      reference: '../acceptDispute',
      idempotencyKey: 'k',
    })
    await expect(work).rejects.toMatchObject({ kind: 'invalid_request' })
    expect(psp.seen).toEqual([])
  })
})

describe('a response', () => {
  const write: [string, number, unknown, Record<string, string>, string][] = [
    ['401', 401, { status: 403, errorCode: '010' }, {}, 'auth_failed'],
    ['403', 403, { status: 403, errorCode: '010' }, {}, 'permission_missing'],
    ['422', 422, { status: 422, errorCode: '702' }, {}, 'invalid_request'],
    ['422 with placeholder values', 422, { status: -2147483648, errorCode: 'string' }, {}, 'invalid_request'],
    ['409 in progress', 409, { errorCode: '704' }, { 'transient-error': 'true' }, 'outcome_unknown'],
    ['422 in progress', 422, { errorCode: '704' }, {}, 'outcome_unknown'],
    ['429', 429, {}, { 'retry-after': '7' }, 'rate_limited'],
    ['500', 500, { status: 500 }, {}, 'outcome_unknown'],
    ['503', 503, '', { 'transient-error': 'true' }, 'outcome_unknown'],
    ['200 empty', 200, '', {}, 'outcome_unknown'],
    ['200 HTML', 200, '<html>', {}, 'outcome_unknown'],
    ['200 without a result', 200, {}, {}, 'outcome_unknown'],
    ['a redirect', 302, '', { location: 'http://127.0.0.1:9/' }, 'outcome_unknown'],
  ]
  test.each(write)('%s to a write', async (_, status, body, headers, kind) => {
    await using psp = await responding(status, body, headers)
    await expect(accept(psp.url)).rejects.toMatchObject({ name: 'PspError', kind })
    expect(psp.seen).toHaveLength(1)
  })

  const refused = write.filter(([, , , , kind]) => kind === 'invalid_request')
  test.each(write.filter((row) => !refused.includes(row)))('%s to a read', async (_, status, body, headers, kind) => {
    await using psp = await responding(status, body, headers)
    const expected = kind === 'outcome_unknown' ? 'unavailable' : kind
    await expect(describeIt(psp.url)).rejects.toMatchObject({ name: 'PspError', kind: expected })
  })

  test.each(refused)(
    '%s to a read means that the dispute is unknown or cannot be contested',
    async (_, status, body) => {
      await using psp = await responding(status, body)
      expect(await describeIt(psp.url)).toMatchObject({ answerable: false })
    },
  )

  test('a refused connection is unavailable, even for a write, because nothing was sent', async () => {
    const closed = await responding(200, DONE)
    await closed[Symbol.asyncDispose]()
    await expect(accept(closed.url)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('that is cut off leaves the outcome of a write unknown', async () => {
    await using psp = await startLoopback((_, response) => response.socket?.destroy())
    await expect(accept(psp.url)).rejects.toMatchObject({ kind: 'outcome_unknown' })
  })

  test('adds no text of Adyen to the error', async () => {
    await using psp = await byOperation({ acceptDispute: DECLINED, retrieveApplicableDefenseReasons: REASONS })
    const error = await accept(psp.url).catch((thrown: unknown) => thrown)
    expect(String(error)).not.toMatch(/4111|secret text/)
  })
})

describe('200 that means failure', () => {
  test('is rejected_final if the dispute is still defendable at Adyen', async () => {
    await using psp = await byOperation({ acceptDispute: DECLINED, retrieveApplicableDefenseReasons: REASONS })
    await expect(accept(psp.url)).rejects.toMatchObject({ kind: 'rejected_final' })
  })

  test('is outcome_unknown if the dispute is no longer defendable, until a notification says why', async () => {
    const noReasons = { defenseReasons: [], disputeServiceResult: { success: true } }
    for (const [status, reasons] of [
      [200, noReasons],
      [200, DECLINED],
      [422, { errorCode: '702' }],
    ] as const) {
      await using psp = await startLoopback((request, response) =>
        request.path.endsWith('/acceptDispute')
          ? sendJson(response, 200, DECLINED)
          : sendJson(response, status, reasons),
      )
      await expect(accept(psp.url)).rejects.toMatchObject({ kind: 'outcome_unknown' })
    }
  })

  test('is rejected_final after the due date, without another call', async () => {
    await using psp = await responding(200, DECLINED)
    const late = { now: () => new Date('2026-04-01T00:00:00Z') }
    await expect(accept(psp.url, openDispute(), late)).rejects.toMatchObject({ kind: 'rejected_final' })
    expect(psp.seen).toHaveLength(1)
  })

  test('is already_applied if the dispute was accepted meanwhile', async () => {
    const inbox = openDispute()
    await using psp = await startLoopback((_, response) => {
      const accepted = item('DISPUTE_DEFENSE_PERIOD_ENDED', 5, {}, { disputeStatus: 'Accepted' })
      inbox.rows.push({
        position: '000099',
        receivedAt: new Date(),
        body: delivery([accepted]),
        references: [DISPUTE, PAYMENT],
      })
      sendJson(response, 200, DECLINED)
    })
    expect(await accept(psp.url, inbox)).toMatchObject({ result: 'already_applied' })
  })
})

describe('an acceptance that succeeded at Adyen', () => {
  test('is pending until a notification reports the outcome', async () => {
    await using psp = await responding(200, DONE, { pspreference: 'REQUESTREFERENCE' })
    const inbox = openDispute()
    expect(await accept(psp.url, inbox)).toEqual({ result: 'pending', requestId: 'REQUESTREFERENCE' })
    const adapter = connectAdyen({ baseUrl: psp.url, inbox })
    const question = { kind: 'acceptance', reference: DISPUTE } as const
    expect((await adapter.probe(question)).answer).toBe('unknown')
    const reported = delivery([item('DISPUTE_DEFENSE_PERIOD_ENDED', 5, {}, { disputeStatus: 'Accepted' })])
    inbox.rows.push({ position: '000099', receivedAt: new Date(), body: reported, references: [DISPUTE] })
    expect((await adapter.probe(question)).answer).toBe('done')
    expect(psp.seen).toHaveLength(1)
  })
})

describe('checkCredentials', () => {
  const check = (baseUrl: string) => connectAdyen({ baseUrl }).checkCredentials()

  test.each([
    ['success', 200, DONE],
    ['a refusal with 200', 200, DECLINED],
    ['422', 422, { errorCode: '702' }],
  ])('%s to an impossible reference means that the key is valid', async (_, status, body) => {
    await using psp = await responding(status, body)
    expect(await check(psp.url)).toMatchObject({ pspAccount: ACCOUNT, mode: 'test' })
  })

  test('the error for a 401 mentions the environment, because a test key gets a 401 at the live address', async () => {
    await using psp = await responding(401, {})
    await expect(check(psp.url)).rejects.toThrow(/other environment/)
  })

  test.each([400, 404])('%s means an invalid configuration', async (status) => {
    await using psp = await responding(status, {})
    await expect(check(psp.url)).rejects.toMatchObject({ kind: 'config_invalid' })
  })

  test('503 means that the key can’t be checked', async () => {
    await using psp = await responding(503, '')
    await expect(check(psp.url)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  test('the HMAC key stays unverified until a notification arrives', async () => {
    await using psp = await responding(200, DONE)
    const { findings } = await check(psp.url)
    expect(findings.find((finding) => finding.permission.includes('HMAC'))?.state).toBe('unverified')
  })

  test('lists the settings that only Adyen’s support or the merchant can enable', async () => {
    await using psp = await responding(200, DONE)
    const hints = (await check(psp.url)).findings.map(({ hint }) => hint).join(' ')
    for (const word of [
      'DISPUTE_DEFENSE_PERIOD_ENDED',
      'ISSUER_RESPONSE_TIMEFRAME_EXPIRED',
      'AlternativeDefenseMaterial',
      'Include originalReference for CHARGEBACK_REVERSED',
      'Standard webhook in JSON with HMAC on',
      'card BIN, shopper details, addresses and ARN',
    ])
      expect(hints).toContain(word)
  })

  test('different merchant accounts are refused before any call', () => {
    const secret = { hmac: 'AB'.repeat(32), apiKey: 'AQEkey', merchantCode: 'testmerchantecom' }
    expect(() => connectAdyen({ secret })).toThrow(/different merchant accounts/)
  })
})
