import { adapterFor } from '../../../adapters/registry.ts'
import type { Source } from '../../../domain/integration.ts'
import { type SimulatedPsp, simulatorNamed } from '../../../local/psps.ts'
import type { Match } from '../../../simulators/engine/match.ts'
import type { Stack } from '../../harness/stack.ts'
import type { Contest, RequestName } from '../steps.ts'

/** The five adapters of the suites, and the requests of each that belong to a command. */
export const ADAPTERS = ['stripe', 'paypal', 'braintree', 'adyen', 'recoup_sandbox'] as const satisfies Source[]
export type AdapterName = (typeof ADAPTERS)[number]

type MatchOf = (reference: string) => Match
const post = (path: (reference: string) => string, body?: (reference: string) => string): MatchOf => {
  return (reference) => ({ method: 'POST', path: path(reference), ...(body && { body: body(reference) }) })
}
const its = (reference: string) => reference

/** Every document has the dispute's id in plain text, so that an upload shows its dispute. */
const REQUESTS: Record<AdapterName, Partial<Record<RequestName | 'read', MatchOf>>> = {
  stripe: {
    read: (reference) => ({ method: 'GET', path: `/v1/disputes/${reference}` }),
    accept: post((reference) => `/v1/disputes/${reference}/close`),
    upload: post(() => '/v1/files', its),
    stage: post(
      (reference) => `/v1/disputes/${reference}`,
      () => 'submit=false',
    ),
    submit: post(
      (reference) => `/v1/disputes/${reference}`,
      () => 'submit=true',
    ),
  },
  paypal: {
    read: (reference) => ({ method: 'GET', path: `/v1/customer/disputes/${reference}` }),
    accept: post((reference) => `/v1/customer/disputes/${reference}/accept-claim`),
    submit: post((reference) => `/v1/customer/disputes/${reference}/provide-evidence`),
  },
  braintree: {
    read: (reference) => ({ method: 'GET', path: `/disputes/${reference}` }),
    accept: (reference) => ({ method: 'PUT', path: `/disputes/${reference}/accept` }),
    upload: post(() => '/document_uploads', its),
    stage: post((reference) => `/disputes/${reference}/evidence`),
    submit: (reference) => ({ method: 'PUT', path: `/disputes/${reference}/finalize` }),
  },
  adyen: {
    accept: post(() => '/acceptDispute', its),
    stage: post(() => '/supplyDefenseDocument', its),
    submit: post(() => '/defendDispute', its),
  },
  recoup_sandbox: {
    read: (reference) => ({ method: 'GET', path: `/${reference}`, exact: false }),
    accept: post((reference) => `/${reference}/accept`),
    upload: post((reference) => `/${reference}/files`),
    submit: post((reference) => `/${reference}/evidence`),
  },
}

/** Matches that request of that dispute at the PSP; null if the PSP has no such request. */
export const requestOf = (adapter: AdapterName, name: RequestName | 'read', reference: string): Match | null =>
  REQUESTS[adapter][name]?.(reference) ?? null

/** Dispute reasons for which a PSP requires two documents, each in its own upload. */
export const TWO_DOCUMENTS: Partial<Record<AdapterName, string>> = { recoup_sandbox: 'two_documents_required' }

/** PSPs that accept an idempotency key for writes; at the others the dispute's state is the only guard. */
export const KEYED: readonly AdapterName[] = ['stripe', 'adyen', 'recoup_sandbox']

export function simulated(adapter: AdapterName): SimulatedPsp {
  const psp = simulatorNamed(adapter)
  if (!psp) throw new Error(`there is no simulator of ${adapter}`)
  return psp
}

/** A call of the control interface of that simulated PSP. */
export function controlOf({ others }: Pick<Stack, 'others'>, adapter: AdapterName) {
  const controlUrl = others.get(adapter)?.controlUrl
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${controlUrl}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok)
      throw new Error(`${method} ${path} of ${adapter} returned ${response.status}: ${await response.text()}`)
    return (await response.json()) as T
  }
}

export function contestOf(adapter: AdapterName): Contest {
  return adapterFor(adapter, simulated(adapter).definition.secretType)?.capabilities.contest ?? false
}
