import type { Source } from '../domain/integration.ts'
import type { Limits } from './contract.ts'
import { type adapterFor, sources } from './registry.ts'

/** Requests a second for one account of a PSP, by PSP, instead of the adapter's own. */
export type Rates = Partial<Record<Source, number>>

/** Highest rate: the most that any of the PSPs allows an account (Stripe, live, over all endpoints). */
const HIGHEST = 100

/**
 * Reads pairs such as `stripe=20,paypal=8`.
 * @throws an Error that says what is expected
 */
export function readRates(text: string): Rates {
  const expected = `must be pairs such as "stripe=20,paypal=8": one of ${sources().join(', ')}, and 1 to ${HIGHEST} requests a second`
  const pairs = text.split(',').flatMap((pair) => pair.trim() || [])
  return Object.fromEntries(
    pairs.map((pair) => {
      const [source = '', rate = ''] = pair.split('=').map((part) => part.trim())
      if (!sources().includes(source) || !/^\d{1,3}$/.test(rate) || Number(rate) < 1 || Number(rate) > HIGHEST)
        throw new Error(expected)
      return [source, Number(rate)]
    }),
  )
}

/** `find`, with these rates instead of the adapters' own. */
export const withRates =
  (find: typeof adapterFor, rates: Rates): typeof adapterFor =>
  (source, secretType) => {
    const definition = find(source, secretType)
    const rate = rates[source]
    return definition && rate !== undefined ? { ...definition, limits: atRate(definition.limits, rate) } : definition
  }

/** In one second up to burst + rate requests can be sent. A higher rate lowers the burst, to one at least, so that the sum stays. */
function atRate(limits: Limits, requestsPerSecond: number): Limits {
  const burst = Math.max(1, limits.requestsPerSecond + limits.burst - requestsPerSecond)
  return { ...limits, requestsPerSecond, burst }
}
