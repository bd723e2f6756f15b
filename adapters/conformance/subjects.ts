import { exportName, SIMULATOR_FOLDERS } from '../../simulators/registry.ts'
import type { Subject } from './subject.ts'

const load = async (folder: string): Promise<Subject> =>
  (await import(`../../simulators/${folder}/subject.ts`))[exportName(folder, 'Subject')]

/** What the kit can check: `subject.ts` of every simulator, in the order of their ports. */
export const SUBJECTS: readonly Subject[] = (await Promise.all(SIMULATOR_FOLDERS.map(load))).toSorted(
  (a, b) => a.simulator.portOffset - b.simulator.portOffset,
)
