/** The merchant that the demo app belongs to. */
export const DEMO_ACCOUNT = 'RECOUPDEMO5U2'
/** Another merchant, with its own app, because at PayPal an app belongs to one merchant. */
export const SECOND_ACCOUNT = 'RECOUPTWO8KQ4'

/** Any merchant has an app with this id; the secret is the same for all. */
export function clientIdOf(account: string): string {
  return `AVrecoup-${account}`
}
export const CLIENT_SECRET = 'EKrecoup-demo-5f2b8c7d9e1a4f6b'
/** Well-formed but unknown: 401. */
export const REFUSED_SECRET = 'EKrecoup-refused-5f2b8c7d9e1a4f6b'
/** An app of the demo merchant without the feature Disputes: 403. */
export const RESTRICTED_CLIENT = 'AVrecoup_restricted'
/** An app with the features Disputes and nothing else: neither captures nor Transaction Search. */
export const LIMITED_CLIENT = 'AVrecoup_limited'
/** Id of the demo merchant's webhook. */
export const WEBHOOK_ID = '8PT597110X687430LKGECATA'

const SERVICES = 'https://uri.paypal.com/services'
export const SCOPES = {
  read: `${SERVICES}/disputes/read-seller`,
  update: `${SERVICES}/disputes/update-seller`,
  payments: `${SERVICES}/payments/payment`,
  search: `${SERVICES}/reporting/search/read`,
  webhooks: 'https://uri.paypal.com/services/applications/webhooks',
} as const
export type Scope = keyof typeof SCOPES

/** Permissions and merchant of a client id; undefined when there is no such app. */
export function appOf(clientId: string): { account: string; scopes: readonly Scope[] } | undefined {
  if (clientId === RESTRICTED_CLIENT) return { account: DEMO_ACCOUNT, scopes: ['payments', 'webhooks'] }
  if (clientId === LIMITED_CLIENT) return { account: DEMO_ACCOUNT, scopes: ['read', 'update', 'webhooks'] }
  const account = /^AVrecoup-([A-Z0-9]{1,64})$/.exec(clientId)?.[1]
  return account === undefined ? undefined : { account, scopes: Object.keys(SCOPES) as Scope[] }
}

/** Each merchant's webhook has its own id. */
export function webhookIdOf(account: string): string {
  return account === DEMO_ACCOUNT ? WEBHOOK_ID : `WHK-${account}`
}
