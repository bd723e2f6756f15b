import { type Bench, openBench } from '../../../../adapters/conformance/bench.ts'
import type { Adapter, AdapterContext } from '../../../../adapters/contract.ts'
import { PspError } from '../../../../adapters/errors.ts'
import type { PayPalCursor } from '../../../../adapters/paypal/cursor.ts'
import { paypal } from '../../../../adapters/paypal/index.ts'
import type { PayPalSecret } from '../../../../adapters/paypal/secret.ts'
import type { PspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { paypalSubject } from '../../../../simulators/paypal/subject.ts'

export const NOW = new Date('2026-03-01T12:00:00.000Z')
export const ID = 'PP-R-ABC-10000001'
export const SECRET: PayPalSecret = { clientId: 'AVclient', clientSecret: 'EKsecret', webhookId: 'WH1' }

export interface Call {
  method: string
  url: string
  /** Path with query. */
  path: string
  headers: Headers
  body: Buffer
}

type StubResponse = Response | Promise<Response> | Promise<never>

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Response(text, { status, headers: { 'paypal-debug-id': 'f00d', ...headers } })
}

export const tokenBody = (value = 'token-1', changes: object = {}) => ({
  scope: 'https://uri.paypal.com/services/disputes/read-seller https://uri.paypal.com/services/disputes/update-seller',
  access_token: value,
  token_type: 'Bearer',
  expires_in: 32_400,
  ...changes,
})

let hosts = 0

/** An adapter with `respond` in place of PayPal. If that returns undefined: a token, or 404 for any other call. */
export function stubbed(
  respond: (call: Call) => StubResponse | undefined,
  overrides: Partial<AdapterContext<PayPalSecret>> = {},
): { adapter: Required<Adapter<PayPalCursor>>; calls: Call[]; apiCalls: () => Call[] } {
  hosts += 1
  const calls: Call[] = []
  const send: PspFetch = async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const body = Buffer.from(await request.arrayBuffer())
    const { method, headers } = request
    const call = { method, url: request.url, path: `${url.pathname}${url.search}`, headers, body }
    calls.push(call)
    const given = respond(call)
    if (given !== undefined) return given
    if (url.pathname === '/v1/oauth2/token') return json(tokenBody())
    return json({ name: 'INVALID_RESOURCE_ID', message: 'unknown', debug_id: 'f00d' }, 404)
  }
  const adapter = paypal.connect({
    secret: SECRET,
    externalIdentifier: 'MERCHANT1',
    pspAccount: null,
    // Tokens are cached per address, so each test needs its own.
    baseUrl: `https://stub-${hosts}.example`,
    environment: 'sandbox',
    fetch: send,
    now: () => NOW,
    ...overrides,
  }) as Required<Adapter<PayPalCursor>>
  return { adapter, calls, apiCalls: () => calls.filter((call) => call.path !== '/v1/oauth2/token') }
}

export function link(rel: string): object {
  return { rel, method: 'POST', href: `https://api.paypal.com/v1/customer/disputes/${ID}/${rel}` }
}

/** A dispute that waits for the seller. */
export function detail(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    dispute_id: ID,
    create_time: '2026-02-01T10:00:00.000Z',
    update_time: '2026-02-02T10:00:00.123Z',
    disputed_transactions: [
      {
        buyer_transaction_id: '7BC38643YC807283D',
        seller_transaction_id: '3BC38643YC807283D',
        create_time: '2026-01-20T08:00:00.000Z',
        gross_amount: { currency_code: 'USD', value: '192.00' },
        buyer: { name: 'A Buyer' },
        seller: { merchant_id: 'MERCHANT1', name: 'Shop' },
      },
    ],
    reason: 'UNAUTHORISED',
    status: 'WAITING_FOR_SELLER_RESPONSE',
    dispute_state: 'REQUIRED_ACTION',
    dispute_amount: { currency_code: 'USD', value: '92.50' },
    dispute_life_cycle_stage: 'CHARGEBACK',
    dispute_channel: 'EXTERNAL',
    seller_response_due_date: '2026-03-10T10:00:00.000Z',
    links: [link('accept_claim'), link('provide_evidence')],
    ...changes,
  }
}

export const resolved = (outcome_code: string, more: object = {}, changes: Record<string, unknown> = {}) =>
  detail({
    status: 'RESOLVED',
    dispute_state: 'RESOLVED',
    dispute_outcome: { outcome_code, ...more },
    links: [],
    ...changes,
  })

/** Evidence that PayPal requests from the seller. */
export const requestedEvidence = (evidence_type: string, more: object = {}) => ({
  evidence_type,
  source: 'REQUESTED_FROM_SELLER',
  date: '2026-02-10T00:00:00.000Z',
  ...more,
})
/** Evidence that the seller sent. */
export const sellerEvidence = (notes: string | undefined, date = '2026-02-11T00:00:00.000Z', more: object = {}) => ({
  evidence_type: 'OTHER',
  source: 'SUBMITTED_BY_SELLER',
  date,
  ...(notes !== undefined && { notes }),
  ...more,
})
export const reviewed = (evidences: object[], changes: Record<string, unknown> = {}) =>
  detail({ status: 'UNDER_REVIEW', dispute_state: 'UNDER_PAYPAL_REVIEW', links: [], evidences, ...changes })

export async function errorOf(work: Promise<unknown> | (() => unknown)): Promise<PspError> {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    if (error instanceof PspError) return error
    throw error
  }
  throw new Error('it was not refused')
}

/** The simulator, and the adapter connected to its home account. */
export function simulated(): Promise<Bench> {
  return openBench(paypalSubject)
}
