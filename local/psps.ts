import { adyenSimulator } from '../simulators/adyen/index.ts'
import { braintreeSimulator } from '../simulators/braintree/index.ts'
import type { SimulatorDefinition } from '../simulators/engine/definition.ts'
import { paypalSimulator } from '../simulators/paypal/index.ts'
import { sandboxSimulator } from '../simulators/sandbox/index.ts'
import { stripeSimulator } from '../simulators/stripe/index.ts'
import type { LocalConfig } from './config.ts'

export interface SimulatedPsp {
  definition: SimulatorDefinition
  /** Distance of its port from the port of the control surfaces. */
  portOffset: number
  /** Tells the processes that call the PSP where it answers. */
  addressVariable: string
}

const SIMULATED: readonly SimulatedPsp[] = [
  { definition: stripeSimulator, portOffset: 1, addressVariable: 'STRIPE_API_URL' },
  { definition: paypalSimulator, portOffset: 2, addressVariable: 'PAYPAL_API_URL' },
  { definition: braintreeSimulator, portOffset: 3, addressVariable: 'BRAINTREE_API_URL' },
  { definition: adyenSimulator, portOffset: 4, addressVariable: 'ADYEN_API_URL' },
  { definition: sandboxSimulator, portOffset: 5, addressVariable: 'SANDBOX_API_URL' },
]

/** PSPs to simulate: those that were not given an address, and none in production. */
export function simulatedPsps(config: LocalConfig): SimulatedPsp[] {
  if (config.RECOUP_ENVIRONMENT === 'production') return []
  return SIMULATED.filter((psp) => config.pspAddresses[psp.definition.source] === undefined)
}

export const simulatorNamed = (source: string) => SIMULATED.find((psp) => psp.definition.source === source)
