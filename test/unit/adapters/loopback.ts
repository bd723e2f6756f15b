import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Adapter, AdapterContext } from '../../../adapters/contract.ts'
import { pspFetch } from '../../../adapters/shared/psp-fetch.ts'
import type { StripeCursor } from '../../../adapters/stripe/cursor.ts'
import { stripe } from '../../../adapters/stripe/index.ts'
import type { StripeSecret } from '../../../adapters/stripe/secret.ts'

export interface SeenRequest {
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: string
}

/** A minimal HTTP server in place of a PSP: `respond` gets each request, `seen` has all of them. */
export async function startLoopback(respond: (request: SeenRequest, response: ServerResponse) => void) {
  const seen: SeenRequest[] = []
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const url = new URL(incoming.url ?? '/', 'http://loopback')
    const request = {
      method: incoming.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    }
    seen.push(request)
    respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_loopback', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export function connectStripe(
  baseUrl: string,
  overrides: Partial<AdapterContext<StripeSecret>> = {},
): Required<Adapter<StripeCursor>> {
  return stripe.connect({
    secret: { apiKey: 'sk_test_loopback123', webhookSecret: 'whsec_loopback' },
    externalIdentifier: 'acct_home',
    pspAccount: 'acct_home',
    baseUrl,
    environment: 'sandbox',
    fetch: pspFetch,
    now: () => new Date(),
    ...overrides,
  }) as Required<Adapter<StripeCursor>>
}

/** A card dispute in `needs_response`, in the shape of the pinned version. */
export function sampleDispute(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'dp_sample1',
    object: 'dispute',
    amount: 1099,
    balance_transactions: [],
    charge: 'ch_sample1',
    created: 1_790_000_000,
    currency: 'usd',
    enhanced_eligibility_types: [],
    evidence: { customer_purchase_ip: '203.0.113.7', enhanced_evidence: {}, appeal: null },
    evidence_details: {
      due_by: 1_791_000_000,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: true,
    livemode: false,
    metadata: {},
    payment_intent: 'pi_sample1',
    payment_method_details: {
      card: { brand: 'visa', case_type: 'chargeback', network: 'visa', network_reason_code: '10.4' },
      type: 'card',
    },
    reason: 'fraudulent',
    status: 'needs_response',
    ...changes,
  }
}
