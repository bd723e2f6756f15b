import type { Agent } from 'node:http'
import braintree from 'braintree'
import type { AdapterContext } from '../contract.ts'
import { asRecord } from '../shared/raw-json.ts'
import { toPspError, unanswered } from './errors.ts'
import { codesOf, Refusal } from './refusals.ts'
import { bridge, newExchange } from './sdk/transport.ts'
import type { BraintreeSecret } from './secret.ts'

/** X-ApiVersion that braintree@3.40.0 sends. */
export const API_VERSION = '6'

const HOSTS = {
  sandbox: 'https://api.sandbox.braintreegateway.com:443',
  production: 'https://api.braintreegateway.com:443',
}

/**
 * The part of the SDK that is used, as it behaves: @types/braintree has other spellings of statuses, other shapes of
 * answers, no uploads and a search by status only.
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
    /** Rejects unless the signature is of this key pair over this payload, and the payload is a notification. */
    parse(signature: string, payload: string): Promise<ParsedNotification>
    verify(challenge: string): string
  }
}

type Call = (gateway: Gateway) => Promise<unknown>

/** Braintree behind one key pair and one merchant. Every method throws PspErrors only; a 422 is a `Refusal`. */
export interface BraintreeClient {
  /** Merchant accounts that the integration is limited to; none = all of the gateway. */
  merchantAccountCodes: readonly string[]
  read(run: Call): Promise<Record<string, unknown>>
  /** A write whose answer must carry what was created. */
  create(run: Call): Promise<Record<string, unknown>>
  /** A write after which the dispute is read again: a 200 may bring the object, one space, nothing or junk. */
  act(run: Call): Promise<void>
  /** A write that is answered with one space. */
  remove(run: Call): Promise<void>
}

export function openClient(ctx: AdapterContext<BraintreeSecret>): BraintreeClient {
  const baseUrl = (ctx.baseUrl ?? HOSTS[ctx.environment]).replace(/\/+$/, '')

  async function send(call: 'read' | 'write', run: Call, without: 'never' | 'blank' | 'any' = 'never') {
    const exchange = newExchange()
    try {
      const answer = asRecord(await run(openGateway(ctx, bridge(ctx.fetch, baseUrl, exchange))))
      if (answer?.success === false) throw new Refusal(codesOf(answer.errors))
      if (answer?.apiErrorResponse !== undefined) throw new Refusal(codesOf(answer.apiErrorResponse))
      if (answer) return answer
      throw unanswered(call)
    } catch (error) {
      // The SDK crashes on an empty body after the action happened; its status is what counts then.
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

/** A gateway without a connection, for what is computed from the keys alone. */
export function offlineGateway(ctx: Pick<AdapterContext<BraintreeSecret>, 'secret' | 'externalIdentifier'>): Gateway {
  return openGateway(ctx)
}

function openGateway(
  { secret, externalIdentifier }: Pick<AdapterContext<BraintreeSecret>, 'secret' | 'externalIdentifier'>,
  customHttpAgent?: Agent,
): Gateway {
  // Host and TLS are the bridge's: the SDK's own end in this process.
  const Environment = braintree.Environment as unknown as new (...parts: unknown[]) => object
  const gateway = new braintree.BraintreeGateway({
    environment: new Environment('braintree', '80', '', false, 'braintree', '80'),
    merchantId: externalIdentifier,
    publicKey: secret.publicKey,
    privateKey: secret.secretKey,
    ...(customHttpAgent && { customHttpAgent }),
  } as unknown as ConstructorParameters<typeof braintree.BraintreeGateway>[0]) as unknown as Gateway
  // The deadline is the bridge's; the SDK's own counts silence only and can't be given to its constructor.
  gateway.config.timeout = 0
  return gateway
}
