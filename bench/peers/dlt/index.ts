import { join } from 'node:path'
import { contenderProcess } from '../contender.ts'
import { installFromPyPi } from '../install.ts'
import type { Peer } from '../peer.ts'

const VERSION = '1.26.0'

/** dlt extracts, normalises and loads with `upsert`. The time of each pass includes the start of its pipeline. */
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
