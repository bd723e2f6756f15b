import { scriptArguments } from '../../../local/run-script.ts'
import { contenderProcess } from '../contender.ts'
import { installFromNpm } from '../install.ts'
import type { Peer } from '../peer.ts'

const VERSION = '0.48.5'
const PACKAGES = { '@supabase/stripe-sync-engine': VERSION, stripe: '19.3.1', pg: '8.23.1' }

/** One INSERT … ON CONFLICT for each dispute, five in parallel; a re-sync writes every row again. */
export const supabase: Peer = {
  key: 'supabase',
  rows: ['P1', 'P2', 'P3'],
  repolls: true,
  async open(setting) {
    const folder = await installFromNpm('supabase', PACKAGES)
    const words = [...scriptArguments('bench/peers/supabase/pass.ts'), folder]
    const name = `@supabase/stripe-sync-engine ${VERSION}`
    return contenderProcess(name, { command: process.execPath, words }, { ...setting, order: { key: setting.key } })
  },
}
