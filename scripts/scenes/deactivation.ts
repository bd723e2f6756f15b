import type { StackFile } from '../../local/stack-file.ts'

/**
 * Deactivates one new integration at once and one on a far date, which is then moved.
 * @returns ids of the runs that come to an end
 */
export async function playDeactivations(stack: StackFile): Promise<string[]> {
  const { stripe } = stack.simulators
  if (!stripe) throw new Error('The stack has no simulated Stripe: start it without --empty.')
  const { secretType, secretPayload } = stripe
  const call = async (method: string, path: string, body: object): Promise<string> => {
    const answer = await fetch(`${stack.apiUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${stack.tokens.merchant}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`)
    return text
  }
  const connect = async (): Promise<string> => {
    const externalIdentifier = `acct_scene${Date.now()}`
    const opened = JSON.stringify({ account: externalIdentifier })
    await fetch(`${stripe.controlUrl}/accounts`, { method: 'POST', body: opened })
    const integration = { integrationName: 'Scene', source: 'stripe', externalIdentifier, secretType, secretPayload }
    return JSON.parse(await call('POST', '/integrations', integration)).integrationId
  }
  const deactivate = (id: string, deactivationDate: string) =>
    call('DELETE', `/integrations/${id}`, { deactivationType: 'postingDate', deactivationDate })
  const [ended, waiting] = [await connect(), await connect()]
  await deactivate(ended, '2026-01-01T00:00:00Z')
  await deactivate(waiting, '2098-01-01T00:00:00Z')
  await deactivate(waiting, '2099-01-01T00:00:00Z')
  return [`deactivate:integration:${ended}`]
}
