import { Hono } from 'hono'
import type { SimulatorApp } from '../../../simulators/engine/conduct.ts'
import type { SimulatorDefinition } from '../../../simulators/engine/definition.ts'
import type { Connected } from '../ground/connected.ts'
import { type AdapterName, simulated } from '../ground/psps.ts'

/** Where a PSP's secret has the key that it is called with, and what deliveries are signed with. */
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
  /** What the PSP is called with. */
  key: string
  /** What the PSP signs deliveries with. */
  signing: string
}

/** The keys that the simulated PSPs take beside their own: as many as are issued, each until it is revoked. */
export interface Keys {
  /** What the integration has now. */
  of(connected: Connected): Secret
  /** Another secret of the same account, which the PSP takes from now on. */
  issue(connected: Connected): Secret
  /** As the account's first one, but for a key that no other account is called with, where deliveries need none of it. */
  issueOwn(connected: Connected): Secret
  /** Notes that it is the integration's now. */
  replaced(connected: Connected, secret: Secret): void
  /** Calls with this key are answered as those with an unknown one, unless other accounts are called with it, too. */
  revoke(connected: Connected, secret: Secret): void
  /** Every secret value that was ever issued, for whoever looks for them where they don't belong. */
  issued(): string[]
  /** The PSP with this door in front of it. */
  behind(adapter: AdapterName): SimulatorDefinition
}

/** `secretOf`: what the account was connected with. */
export function createKeys(secretOf: (adapter: AdapterName, account: string) => Record<string, string>): Keys {
  const current = new Map<string, Secret>()
  const issued: string[] = []
  /** By adapter and key, what the PSP itself knows instead. */
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
      return { ...definition, routes: (engine) => behindDoor(definition.routes(engine), translated) }
    },
  }
}

function secretFrom(adapter: AdapterName, payload: Record<string, string>): Secret {
  const { key, signing } = FIELDS[adapter]
  return { payload, key: payload[key] ?? '', signing: payload[signing] ?? '' }
}

/** Both values new, as each PSP writes them. */
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

/** The key of each request exchanged for the one that the PSP's own routes know. */
function behindDoor(routes: SimulatorApp, translated: (key: string) => string): SimulatorApp {
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
