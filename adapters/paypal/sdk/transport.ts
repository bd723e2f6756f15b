import type { AdapterContext } from '../../contract.ts'
import { PspError } from '../../errors.ts'
import { capturingFetch } from '../../shared/http.ts'
import type { PspRequest } from '../../shared/psp-fetch.ts'
import { type Call, connectionError } from '../errors.ts'

/** Deadline of one call, body included. */
export const TIMEOUT_MS = 25_000
const HOSTS = { sandbox: 'https://api-m.sandbox.paypal.com', production: 'https://api-m.paypal.com' }

/** A response with any status. */
export interface Reply {
  status: number
  /** The body as it came. */
  text: string
  requestId: string | null
  retryAfter: string | null
}

/** The connection to PayPal of Recoup's client and of PayPal's SDK. */
export interface Transport {
  /** Base URL of paths, without a trailing slash. */
  base: string
  /** @throws PspError when there is no response: unavailable, or outcome_unknown for a write that may have arrived */
  exchange(call: Call, path: string, init: PspRequest): Promise<Reply>
}

/** Uses the engine's fetch, with a deadline. @throws PspError config_invalid for a URL that would expose the secret */
export function openTransport(ctx: Pick<AdapterContext<unknown>, 'baseUrl' | 'environment' | 'fetch'>): Transport {
  const base = baseOf(ctx)
  const { fetch: send } = capturingFetch(ctx.fetch)
  return {
    base,
    async exchange(call, path, init) {
      try {
        const { status, headers, text } = await send(`${base}${path}`, { ...init, timeoutMs: TIMEOUT_MS })
        return { status, text, requestId: headers.get('paypal-debug-id'), retryAfter: headers.get('retry-after') }
      } catch (error) {
        throw connectionError(error, call)
      }
    },
  }
}

function baseOf(ctx: Pick<AdapterContext<unknown>, 'baseUrl' | 'environment'>): string {
  const url = new URL(ctx.baseUrl ?? HOSTS[ctx.environment])
  if (url.protocol !== 'https:' && !isNear(url.hostname)) {
    throw new PspError('config_invalid', 'PAYPAL_API_URL must be https, or http on this machine or in its network.')
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** This machine, or a name without a dot: a container in the same network. Public names have dots. */
const isNear = (host: string) => ['127.0.0.1', '[::1]'].includes(host) || /^[\w-]+$/.test(host)
