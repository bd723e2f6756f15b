import type { SimulatorDefinition } from '../simulators/engine/definition.ts'
import { SIMULATORS } from '../simulators/registry.ts'
import type { LocalConfig } from './config.ts'

export interface SimulatedPsp {
  definition: SimulatorDefinition
  /** Offset of its port from the port of the control interfaces. */
  portOffset: number
  /** Variable with the PSP's base URL, for the processes that call it. */
  addressVariable: string
}

const SIMULATED: readonly SimulatedPsp[] = SIMULATORS.map((definition) => {
  const { portOffset, baseUrlVariable: addressVariable } = definition
  return { definition, portOffset, addressVariable }
})

/** PSPs to simulate: those without a given base URL, and none in production. */
export function simulatedPsps(config: LocalConfig): SimulatedPsp[] {
  if (config.RECOUP_ENVIRONMENT === 'production') return []
  return SIMULATED.filter((psp) => config.pspAddresses[psp.definition.source] === undefined)
}

export const simulatorNamed = (source: string) => SIMULATED.find((psp) => psp.definition.source === source)
