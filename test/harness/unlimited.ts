import { adapterFor } from '../../adapters/registry.ts'

/** Adapters whose rate limit is never used up, where waiting for it would prove nothing. */
export const unlimited: typeof adapterFor = (source, secretType) => {
  const definition = adapterFor(source, secretType)
  return definition && { ...definition, limits: { ...definition.limits, requestsPerSecond: 1e9, burst: 1e9 } }
}
