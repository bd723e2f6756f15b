import { adapterFor } from '../../../adapters/registry.ts'
import type { Source } from '../../../domain/integration.ts'
import { type SimulatedPsp, simulatorNamed } from '../../../local/psps.ts'
import type { Match } from '../../../simulators/engine/match.ts'
import type { Stack } from '../../harness/stack.ts'
import type { Contest, RequestName } from '../steps.ts'

/** The five adapters under fault, and which requests of each carry a command. */
export const ADAPTERS = ['stripe', 'paypal', 'braintree', 'adyen', 'recoup_sandbox'] as const satisfies Source[]
export type AdapterName = (typeof ADAPTERS)[number]

type MatchOf = (reference: string) => Match
const post = (path: (reference: string) => string, body?: (reference: string) => string): MatchOf => {
  return (reference) => ({ method: 'POST', path: path(reference), ...(body && { body: body(reference) }) })
}
const its = (reference: string) => reference

/** Every document bears the dispute's id in plain text, so that an upload tells whose it is. */
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

/** How to know that request of that dispute at the PSP's door; null where the PSP has no such request. */
export const requestOf = (adapter: AdapterName, name: RequestName | 'read', reference: string): Match | null =>
  REQUESTS[adapter][name]?.(reference) ?? null

/** Reasons for which a PSP takes nothing but two documents, each in an upload of its own. */
export const TWO_DOCUMENTS: Partial<Record<AdapterName, string>> = { recoup_sandbox: 'two_documents_required' }

/** PSPs that take an idempotency key with a dispute's writes; of the others the state of the dispute is the only guard. */
export const KEYED: readonly AdapterName[] = ['stripe', 'adyen', 'recoup_sandbox']

export function simulated(adapter: AdapterName): SimulatedPsp {
  const psp = simulatorNamed(adapter)
  if (!psp) throw new Error(`there is no simulator of ${adapter}`)
  return psp
}

/** A call of the control surface of that simulated PSP. */
export function controlOf({ others }: Pick<Stack, 'others'>, adapter: AdapterName) {
  const controlUrl = others.get(adapter)?.controlUrl
  return async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${controlUrl}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path} of ${adapter} answered ${answer.status}: ${await answer.text()}`)
    return (await answer.json()) as T
  }
}

export function contestOf(adapter: AdapterName): Contest {
  return adapterFor(adapter, simulated(adapter).definition.secretType)?.capabilities.contest ?? false
}
