import { scriptArguments } from '../../../local/run-script.ts'
import { contenderProcess } from '../contender.ts'
import { installFromNpm } from '../install.ts'
import type { Peer } from '../peer.ts'

const VERSION = '1.0.32'
const PACKAGES = { '@stripe/sync-engine': VERSION }

/** Twenty workers with a limiter in Postgres. Its run tables remember, so that there is no re-poll to measure. */
function peer(key: string, rows: readonly string[], limited: boolean, name: string): Peer {
  return {
    key,
    rows,
    repolls: false,
    async open(setting) {
      const folder = await installFromNpm('stripe-sync', PACKAGES)
      const words = [...scriptArguments('bench/peers/stripe-sync/pass.ts'), folder]
      const order = { key: setting.key, limited }
      return contenderProcess(name, { command: process.execPath, words }, { ...setting, order })
    },
  }
}

export const stripeSync = peer('stripe-sync', ['P1b'], false, `@stripe/sync-engine ${VERSION}, limiter off`)
export const stripeSyncLimited = peer(
  'stripe-sync-limited',
  ['P1b default'],
  true,
  `@stripe/sync-engine ${VERSION}, limiter at its default`,
)
