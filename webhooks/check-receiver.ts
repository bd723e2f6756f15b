import { lookup as lookUp } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { mayReceive } from './address-rule.ts'
import { guardedLookup, type Ways } from './guarded-agents.ts'

/** A slow name server must not hold a request. */
const LONGEST_MS = 2_000

/**
 * Whether an address can be a receiver now, for an early and friendly refusal. What protects is the check of each
 * connection. A name server that does not answer refuses nothing; a proxy resolves for itself.
 * @returns the fault, or null
 */
export async function faultOfReceiver(url: string, ways: Ways): Promise<string | null> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return mayReceive(host, ways.allowed) ? null : NOT_PUBLIC
  if (ways.proxy) return null
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), LONGEST_MS)
    guardedLookup({ lookup: lookUp as LookupFunction, ...ways })(host, { all: true }, (error) => {
      clearTimeout(timer)
      // One sentence for both: a client must not find out which inner names exist.
      const isFault = error !== null && (error.name === 'AddressRefused' || error.code === 'ENOTFOUND')
      resolve(isFault ? NOT_PUBLIC : null)
    })
  })
}

const NOT_PUBLIC = 'The host must have public addresses only'
