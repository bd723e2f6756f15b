import { createHmac } from 'node:crypto'
import type { AdapterDefinition } from '../../adapters/contract.ts'
import { sources } from '../../adapters/registry.ts'
import type { KeyRing } from '../../db/core/seal.ts'
import type { ApiDeps } from '../context.ts'

/** Length of the PSP's public keys: 16 characters. */
const KEY_LENGTH = 16
const CHALLENGE = /^[a-f0-9]{20,32}$/

/**
 * Responses for ids that no integration has: deterministic, and indistinguishable from real ones without Recoup's keys.
 * An unauthenticated client learns only how an integration of some PSP would respond.
 */
export interface Decoys {
  /** The PSP whose headers a delivery to this id must have; undefined without adapters. */
  definition(integrationId: string): AdapterDefinition | undefined
  /** A response in the form of a signed challenge. @returns null for a challenge that no PSP sends */
  answer(integrationId: string, challenge: string): string | null
}

export function createDecoys({ ring, adapters }: Pick<ApiDeps, 'ring' | 'adapters'>): Decoys {
  const receiving = () =>
    sources().flatMap((source) => {
      const [type] = adapters.acceptedSecretTypes(source)
      const definition = type && adapters.adapterFor(source, type)
      return definition?.hasDeliveryHeaders ? [definition] : []
    })
  let known: AdapterDefinition[] | undefined
  return {
    definition(integrationId) {
      known ??= receiving()
      return known[digest(ring, 'psp', integrationId).readUInt32BE() % known.length]
    },
    answer(integrationId, challenge) {
      if (!CHALLENGE.test(challenge)) return null
      const key = [...digest(ring, 'key', integrationId)].map((byte) => (byte % 36).toString(36)).join('')
      const signature = digest(ring, 'signature', `${integrationId} ${challenge}`).toString('hex')
      return `${key.slice(0, KEY_LENGTH)}|${signature.slice(0, 40)}`
    },
  }
}

/** Keyed by the oldest key of the ring, which stays when a new key is added in front. */
function digest({ keys }: KeyRing, ...about: string[]): Buffer {
  const key = [...keys.values()].at(-1) ?? Buffer.alloc(32)
  return createHmac('sha256', key)
    .update(`decoy ${about.join(' ').toLowerCase()}`)
    .digest()
}
