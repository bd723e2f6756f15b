import type { SecretType, Source } from '../domain/integration.ts'
import { adyen } from './adyen/index.ts'
import { braintree } from './braintree/index.ts'
import type { AdapterDefinition } from './contract.ts'
import { paypal } from './paypal/index.ts'
import { sandbox } from './sandbox/index.ts'
import { stripe } from './stripe/index.ts'

/** Every adapter of this build, in the interface's order. A new PSP is one line here. */
const REGISTERED = [
  stripe as AdapterDefinition,
  braintree as AdapterDefinition,
  paypal as AdapterDefinition,
  adyen as AdapterDefinition,
  sandbox as AdapterDefinition,
] as const

export function adapters(): AdapterDefinition[] {
  return [...REGISTERED]
}

/** The PSPs that can be connected. */
export function sources(): Source[] {
  return [...new Set(REGISTERED.map((definition) => definition.source))]
}

/** The adapter that connects `source` with a secret of that type; undefined when there is none. */
export function adapterFor(source: Source, secretType: SecretType): AdapterDefinition | undefined {
  return REGISTERED.find((definition) => definition.source === source && definition.secrets[secretType] !== undefined)
}

/** The secret types that `source` can be connected with; empty for a source without an adapter. */
export function acceptedSecretTypes(source: Source): SecretType[] {
  return REGISTERED.filter((definition) => definition.source === source).flatMap(
    (definition) => Object.keys(definition.secrets) as SecretType[],
  )
}
