import type { Match } from '../../adapters/simulator/match.ts'
import type { Source } from '../../domain/integration.ts'
import { type SimulatedPsp, simulatorNamed } from '../../local/psps.ts'

/** The five adapters under fault, and which requests of each carry a command. */
export const ADAPTERS = ['stripe', 'paypal', 'braintree', 'adyen', 'recoup_sandbox'] as const satisfies Source[]
export type AdapterName = (typeof ADAPTERS)[number]

/** The irreversible request of an acceptance of that dispute. */
export const ACCEPT_REQUEST: Record<AdapterName, (reference: string) => Match> = {
  stripe: (reference) => ({ method: 'POST', path: `/v1/disputes/${reference}/close` }),
  paypal: (reference) => ({ method: 'POST', path: `/v1/customer/disputes/${reference}/accept-claim` }),
  braintree: (reference) => ({ method: 'PUT', path: `/disputes/${reference}/accept` }),
  adyen: (reference) => ({ method: 'POST', path: '/acceptDispute', body: reference }),
  recoup_sandbox: (reference) => ({ method: 'POST', path: `/${reference}/accept` }),
}

/** PSPs that take an idempotency key with a dispute's writes; of the others the state of the dispute is the only guard. */
export const KEYED: readonly AdapterName[] = ['stripe', 'adyen', 'recoup_sandbox']

export function simulated(adapter: AdapterName): SimulatedPsp {
  const psp = simulatorNamed(adapter)
  if (!psp) throw new Error(`there is no simulator of ${adapter}`)
  return psp
}
