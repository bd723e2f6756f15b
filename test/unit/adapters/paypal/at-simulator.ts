import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { paypalSimulator } from '../../../../simulators/paypal/index.ts'
import { CLIENT_SECRET, clientIdOf, DEMO_ACCOUNT } from '../../../../simulators/paypal/keys.ts'

/** Calls the simulated PayPal without the adapter, like a third-party client. */
export async function connectSimulator() {
  const running = await startSimulator(paypalSimulator)
  const basic = `Basic ${btoa(`${clientIdOf(DEMO_ACCOUNT)}:${CLIENT_SECRET}`)}`
  const form = { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' }
  const mint = () =>
    fetch(`${running.url}/v1/oauth2/token`, { method: 'POST', headers: form, body: 'grant_type=client_credentials' })
  const { access_token } = (await (await mint()).json()) as { access_token: string }

  /** Sends a JSON content type on GETs too, like PayPal's own toolkit. */
  async function call(method: string, path: string, body?: object) {
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const response = await fetch(`${running.url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: any response of PayPal
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }
  async function control(path: string, body: object) {
    const response = await fetch(`${running.controlUrl}${path}`, { method: 'POST', body: JSON.stringify(body) })
    return (await response.json()) as { disputes: { ref: string }[] }
  }
  return {
    url: running.url,
    mint,
    call,
    control,
    create: async (order: object) => (await control('/disputes', order)).disputes.map((dispute) => dispute.ref),
    dispute: async (reference: string | undefined) => (await call('GET', `${DISPUTES}/${reference}`)).body,
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

export const DISPUTES = '/v1/customer/disputes'
