import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { paypalSimulator } from '../../../../simulators/paypal/index.ts'
import { CLIENT_SECRET, clientIdOf, DEMO_ACCOUNT } from '../../../../simulators/paypal/keys.ts'

/** The simulated PayPal as a client that nobody here wrote sees it: no adapter in between. */
export async function visitSimulator() {
  const running = await startSimulator(paypalSimulator)
  const basic = `Basic ${btoa(`${clientIdOf(DEMO_ACCOUNT)}:${CLIENT_SECRET}`)}`
  const form = { authorization: basic, 'content-type': 'application/x-www-form-urlencoded' }
  const mint = () =>
    fetch(`${running.url}/v1/oauth2/token`, { method: 'POST', headers: form, body: 'grant_type=client_credentials' })
  const { access_token } = (await (await mint()).json()) as { access_token: string }

  /** Says on GETs too that it sends JSON, as PayPal's own toolkit does. */
  async function call(method: string, path: string, body?: object) {
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const answer = await fetch(`${running.url}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: whatever PayPal would answer
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any }
  }
  async function control(path: string, body: object) {
    const answer = await fetch(`${running.controlUrl}${path}`, { method: 'POST', body: JSON.stringify(body) })
    return (await answer.json()) as { disputes: { ref: string }[] }
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
