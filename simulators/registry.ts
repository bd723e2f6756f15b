import { readdirSync } from 'node:fs'
import type { SimulatorDefinition } from './engine/definition.ts'

/** Every folder here but the engine simulates a PSP; `shop-pay/index.ts` exports `shopPaySimulator`. */
export const SIMULATOR_FOLDERS = readdirSync(import.meta.dirname, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'engine')
  .map((entry) => entry.name)

/** What a folder's part is exported as: `shop-pay` and `Simulator` give `shopPaySimulator`. */
export const exportName = (folder: string, part: string) =>
  folder.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()) + part

const load = async (folder: string): Promise<SimulatorDefinition> =>
  (await import(`./${folder}/index.ts`))[exportName(folder, 'Simulator')]

/** The simulated PSPs, in the order of their ports. */
export const SIMULATORS: readonly SimulatorDefinition[] = (await Promise.all(SIMULATOR_FOLDERS.map(load))).toSorted(
  (a, b) => a.portOffset - b.portOffset,
)
