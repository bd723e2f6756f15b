import { join } from 'node:path'
import { contenderProcess } from '../contender.ts'
import { installFromPyPi } from '../install.ts'
import type { Peer } from '../peer.ts'

const VERSION = '1.26.0'

/** Extract, normalise, load with `upsert`; the start of its pipeline is part of each pass. */
export const dlt: Peer = {
  key: 'dlt',
  rows: ['P1c'],
  repolls: true,
  async open(setting) {
    const folder = await installFromPyPi('dlt', { 'dlt[postgres]': VERSION })
    const command = join(folder, 'bin', 'python')
    const words = [join(import.meta.dirname, 'pipeline.py')]
    return contenderProcess(`dlt ${VERSION}`, { command, words }, { ...setting, order: { key: setting.key } })
  },
}
