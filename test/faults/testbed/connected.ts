import { keysOfMerchant } from '../../../simulators/braintree/keys.ts'
import { clientIdOf, webhookIdOf } from '../../../simulators/paypal/keys.ts'
import { type AdapterName, simulated } from './psps.ts'

/** An account at a simulated PSP that only one cell uses, and its integration. */
export interface Connected {
  adapter: AdapterName
  account: string
  integrationId: string
}

/** The credential of any account at that PSP, with the secret that signs its notifications. */
export function secretOf(adapter: AdapterName, account: string): Record<string, string> {
  const { profile, homeSecretPayload, secretPayload } = simulated(adapter).definition
  if (account === profile.homeAccount) return homeSecretPayload ?? secretPayload
  if (adapter === 'braintree') {
    const { publicKey, privateKey } = keysOfMerchant(account)
    return { publicKey, secretKey: privateKey }
  }
  if (adapter !== 'paypal') return secretPayload
  return { ...secretPayload, clientId: clientIdOf(account), webhookId: webhookIdOf(account) }
}
