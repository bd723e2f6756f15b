import { Hono } from 'hono'
import type { SimulatorApp } from '../../../simulators/engine/conduct.ts'
import type { SimulatorDefinition } from '../../../simulators/engine/definition.ts'
import type { Connected } from '../testbed/connected.ts'
import { type AdapterName, simulated } from '../testbed/psps.ts'

/** Fields of a PSP's secret: the API key, and the secret that signs deliveries. */
const FIELDS: Record<AdapterName, { key: string; signing: string }> = {
  stripe: { key: 'apiKey', signing: 'webhookSecret' },
  paypal: { key: 'clientSecret', signing: 'webhookId' },
  braintree: { key: 'secretKey', signing: 'secretKey' },
  adyen: { key: 'apiKey', signing: 'hmac' },
  recoup_sandbox: { key: 'apiKey', signing: 'notificationSecret' },
}

/** A secret of an integration as a merchant has it from the PSP. */
export interface Secret {
  payload: Record<string, string>
  /** Authenticates calls to the PSP. */
  key: string
  /** Signs the PSP's deliveries. */
  signing: string
}

/** Keys that the simulated PSPs accept in addition to their own: each one that is issued, until it is revoked. */
export interface Keys {
  /** The integration's current secret. */
  of(connected: Connected): Secret
  /** A new secret of the same account, which the PSP accepts from now on. */
  issue(connected: Connected): Secret
  /** The account's first secret with a key that no other account has, unless the key also signs deliveries. */
  issueOwn(connected: Connected): Secret
  /** Records it as the integration's current secret. */
  replaced(connected: Connected, secret: Secret): void
  /** From now on the PSP treats this key as unknown, unless other accounts use it, too. */
  revoke(connected: Connected, secret: Secret): void
  /** Every secret value that was ever issued, for the search for leaks. */
  issued(): string[]
  /** The PSP's simulator, which accepts these keys. */
  behind(adapter: AdapterName): SimulatorDefinition
}

/** `secretOf`: what the account was connected with. */
export function createKeys(secretOf: (adapter: AdapterName, account: string) => Record<string, string>): Keys {
  const current = new Map<string, Secret>()
  const issued: string[] = []
  /** By adapter and key: the key that the simulator knows. */
  const known = new Map<string, string>()
  const first = ({ adapter, account }: Connected): Secret => secretFrom(adapter, secretOf(adapter, account))
  const of = (connected: Connected) => current.get(connected.integrationId) ?? first(connected)
  const take = (connected: Connected, values: Record<string, string>) => {
    const { adapter } = connected
    const { payload, key, signing } = first(connected)
    const next = secretFrom(adapter, { ...payload, ...values })
    known.set(`${adapter} ${next.key}`, key)
    issued.push(...[next.key, next.signing].filter((one) => one !== key && one !== signing && !issued.includes(one)))
    return next
  }
  return {
    of,
    issue: (connected) => take(connected, namesOf(connected.adapter, issued.length + 1)),
    issueOwn(connected) {
      const { key, signing } = FIELDS[connected.adapter]
      if (key === signing) return of(connected)
      return take(connected, { [key]: namesOf(connected.adapter, issued.length + 1)[key] ?? '' })
    },
    replaced: ({ integrationId }, secret) => void current.set(integrationId, secret),
    revoke({ adapter, account }, { key }) {
      const shared = account !== simulated(adapter).definition.profile.homeAccount && !issued.includes(key)
      if (!shared) known.set(`${adapter} ${key}`, refusedKeyOf(adapter))
    },
    issued: () => issued,
    behind(adapter) {
      const { definition } = simulated(adapter)
      const translated = (key: string) => known.get(`${adapter} ${key}`) ?? key
      return { ...definition, routes: (engine) => withTranslatedKeys(definition.routes(engine), translated) }
    },
  }
}

function secretFrom(adapter: AdapterName, payload: Record<string, string>): Secret {
  const { key, signing } = FIELDS[adapter]
  return { payload, key: payload[key] ?? '', signing: payload[signing] ?? '' }
}

/** New values for both fields, in each PSP's format. */
function namesOf(adapter: AdapterName, number: number): Record<string, string> {
  const tail = `torture${String(number).padStart(6, '0')}4eC39HqLyjWDarjtT1`
  const hex = Buffer.from(tail).toString('hex').padEnd(64, '0').slice(0, 64).toUpperCase()
  const values: Record<AdapterName, { key: string; signing: string }> = {
    stripe: { key: `sk_test_${tail}`, signing: `whsec_${tail}` },
    paypal: { key: `EK${tail}`, signing: `WH-${tail}` },
    braintree: { key: tail, signing: tail },
    adyen: { key: `AQEyhmfxK-${tail}`, signing: hex },
    recoup_sandbox: { key: `key-${tail}`, signing: `signing-${tail}` },
  }
  const { key, signing } = FIELDS[adapter]
  return { [key]: values[adapter].key, [signing]: values[adapter].signing }
}

function refusedKeyOf(adapter: AdapterName): string {
  const { secretPayload, refusedSecretPayload } = simulated(adapter).definition
  return secretFrom(adapter, { ...secretPayload, ...refusedSecretPayload }).key
}

/** Replaces the key of each request by the one that the simulator knows. */
function withTranslatedKeys(routes: SimulatorApp, translated: (key: string) => string): SimulatorApp {
  const app: SimulatorApp = new Hono()
  app.use('*', async (c, next) => {
    const { headers } = c.req.raw
    const [scheme = '', value = ''] = (headers.get('authorization') ?? '').split(' ')
    if (scheme === 'Bearer') headers.set('authorization', `Bearer ${translated(value)}`)
    const [user = '', ...rest] = Buffer.from(value, 'base64').toString('utf8').split(':')
    if (scheme === 'Basic' && rest.length > 0) {
      const shown = `${user}:${translated(rest.join(':'))}`
      headers.set('authorization', `Basic ${Buffer.from(shown).toString('base64')}`)
    }
    const key = headers.get('x-api-key')
    if (key !== null) headers.set('x-api-key', translated(key))
    await next()
  })
  app.route('/', routes)
  return app
}
