import type { SimulatorDefinition } from '../simulators/engine/definition.ts'
import { SIMULATORS } from '../simulators/registry.ts'
import type { LocalConfig } from './config.ts'

export interface SimulatedPsp {
  definition: SimulatorDefinition
  /** Distance of its port from the port of the control surfaces. */
  portOffset: number
  /** Tells the processes that call the PSP where it answers. */
  addressVariable: string
}

const SIMULATED: readonly SimulatedPsp[] = SIMULATORS.map((definition) => {
  const { portOffset, baseUrlVariable: addressVariable } = definition
  return { definition, portOffset, addressVariable }
})

/** PSPs to simulate: those that were not given an address, and none in production. */
export function simulatedPsps(config: LocalConfig): SimulatedPsp[] {
  if (config.RECOUP_ENVIRONMENT === 'production') return []
  return SIMULATED.filter((psp) => config.pspAddresses[psp.definition.source] === undefined)
}

export const simulatorNamed = (source: string) => SIMULATED.find((psp) => psp.definition.source === source)
