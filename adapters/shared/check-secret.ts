import type { SecretType, Source } from '../../domain/integration.ts'
import type { AdapterDefinition } from '../contract.ts'
import { PspError } from '../errors.ts'

export interface SecretToCheck {
  source: Source
  secretType: SecretType
  secretPayload: Record<string, unknown>
  externalIdentifier: string
}

interface Adapters {
  adapterFor(source: Source, secretType: SecretType): AdapterDefinition | undefined
  acceptedSecretTypes(source: Source): SecretType[]
}

export type SecretFault =
  | { code: 'secret_type_not_accepted' | 'configuration_invalid'; message: string }
  | { code: 'validation_failed'; issues: { code?: string | undefined; path: PropertyKey[]; message: string }[] }

/** Why no adapter can work with a secret, before anything is stored or sent; null when one can try. */
export function faultOfSecret(adapters: Adapters, asked: SecretToCheck): SecretFault | null {
  const { source, secretType, secretPayload, externalIdentifier } = asked
  const definition = adapters.adapterFor(source, secretType)
  const schema = definition?.secrets[secretType]?.schema
  if (!definition || !schema) {
    const accepted = adapters.acceptedSecretTypes(source)
    const words = accepted.length > 0 ? `${source} takes ${accepted.join(', ')}` : `${source} can't be connected yet`
    return { code: 'secret_type_not_accepted', message: `secretType: ${words}` }
  }
  const secret = schema.safeParse(secretPayload)
  if (!secret.success) return { code: 'validation_failed', issues: secret.error.issues }
  try {
    definition.checkConfiguration({ secret: secret.data, externalIdentifier })
    return null
  } catch (error) {
    if (error instanceof PspError) return { code: 'configuration_invalid', message: error.message }
    throw error
  }
}
