import type { Agent } from 'node:http'
import braintree from 'braintree'
import type { AdapterContext } from '../contract.ts'
import { asRecord } from '../shared/raw-json.ts'
import { noResponse, toPspError } from './errors.ts'
import { codesOf, Refusal } from './refusals.ts'
import { newExchange, sdkTransport } from './sdk/transport.ts'
import type { BraintreeSecret } from './secret.ts'

/** X-ApiVersion that braintree@3.40.0 sends. */
export const API_VERSION = '6'

const HOSTS = {
  sandbox: 'https://api.sandbox.braintreegateway.com:443',
  production: 'https://api.braintreegateway.com:443',
}

/**
 * The used part of the SDK, typed by its actual behaviour: @types/braintree has other spellings of statuses, other
 * shapes of responses, no uploads and a search by status only.
 */
interface ParsedNotification {
  kind?: string
  /** ISO 8601, UTC. */
  timestamp?: string
  dispute?: { id?: unknown; merchantAccountId?: unknown }
}

export interface Gateway {
  config: { timeout: number; baseMerchantPath(): string }
  http: { post(path: string, body: object): Promise<unknown>; get(path: string): Promise<unknown> }
  dispute: {
    find(id: string): Promise<unknown>
    accept(id: string): Promise<unknown>
    finalize(id: string): Promise<unknown>
    addTextEvidence(id: string, evidence: { content: string; category?: string }): Promise<unknown>
    addFileEvidence(id: string, evidence: { documentId: string; category?: string }): Promise<unknown>
    removeEvidence(id: string, evidenceId: string): Promise<unknown>
  }
  documentUpload: { create(options: { kind: string; file: NodeJS.ReadableStream }): Promise<unknown> }
  transaction: { find(id: string): Promise<unknown> }
  webhookNotification: {
    /** Rejects unless the signature is this key pair's over this payload, and the payload is a notification. */
    parse(signature: string, payload: string): Promise<ParsedNotification>
    verify(challenge: string): string
  }
}

type Call = (gateway: Gateway) => Promise<unknown>

/** Braintree with one key pair and one merchant. Every method throws PspErrors only; a 422 is a `Refusal`. */
export interface BraintreeClient {
  /** Merchant accounts that the integration is limited to; none = all of the gateway. */
  merchantAccountCodes: readonly string[]
  read(run: Call): Promise<Record<string, unknown>>
  /** A write whose response must contain the created object. */
  create(run: Call): Promise<Record<string, unknown>>
  /** A write that is confirmed by a read: a 200 may contain the object, one space, nothing or anything else. */
  act(run: Call): Promise<void>
  /** A write whose response is one space. */
  remove(run: Call): Promise<void>
}

export function openClient(ctx: AdapterContext<BraintreeSecret>): BraintreeClient {
  const baseUrl = (ctx.baseUrl ?? HOSTS[ctx.environment]).replace(/\/+$/, '')

  async function send(call: 'read' | 'write', run: Call, without: 'never' | 'blank' | 'any' = 'never') {
    const exchange = newExchange()
    try {
      const answer = asRecord(await run(openGateway(ctx, sdkTransport(ctx.fetch, baseUrl, exchange))))
      if (answer?.success === false) throw new Refusal(codesOf(answer.errors))
      if (answer?.apiErrorResponse !== undefined) throw new Refusal(codesOf(answer.apiErrorResponse))
      if (answer) return answer
      throw noResponse(call)
    } catch (error) {
      // The SDK crashes on an empty body after the action was applied; then the status counts.
      const enough = without === 'any' || (without === 'blank' && exchange.blank)
      if (enough && !(error instanceof Refusal) && exchange.failure === undefined && exchange.status === 200) return {}
      throw toPspError(error, call, exchange, ctx.now())
    }
  }

  return {
    merchantAccountCodes: ctx.merchantAccountCodes ?? [],
    read: (run) => send('read', run),
    create: (run) => send('write', run),
    act: async (run) => void (await send('write', run, 'any')),
    remove: async (run) => void (await send('write', run, 'blank')),
  }
}

/** A gateway without a connection, for computations with the keys alone. */
export function offlineGateway(ctx: Pick<AdapterContext<BraintreeSecret>, 'secret' | 'externalIdentifier'>): Gateway {
  return openGateway(ctx)
}

function openGateway(
  { secret, externalIdentifier }: Pick<AdapterContext<BraintreeSecret>, 'secret' | 'externalIdentifier'>,
  customHttpAgent?: Agent,
): Gateway {
  // The SDK transport owns host and TLS; the SDK's own connection ends in this process.
  const Environment = braintree.Environment as unknown as new (...parts: unknown[]) => object
  const gateway = new braintree.BraintreeGateway({
    environment: new Environment('braintree', '80', '', false, 'braintree', '80'),
    merchantId: externalIdentifier,
    publicKey: secret.publicKey,
    privateKey: secret.secretKey,
    ...(customHttpAgent && { customHttpAgent }),
  } as unknown as ConstructorParameters<typeof braintree.BraintreeGateway>[0]) as unknown as Gateway
  // The SDK transport has the deadline: the SDK's time-out counts silence only and can't be set in its constructor.
  gateway.config.timeout = 0
  return gateway
}
