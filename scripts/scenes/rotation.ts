import type { StackFile } from '../../local/stack-file.ts'
import { stripeSimulator } from '../../simulators/stripe/index.ts'

/** Replaces the secret of the demo's Stripe integration by itself. @returns ids of runs to wait for: it has waited */
export async function playRotation(stack: StackFile): Promise<string[]> {
  const headers = { authorization: `Bearer ${stack.tokens.merchant}`, 'content-type': 'application/json' }
  const listed = await fetch(`${stack.apiUrl}/integrations?limit=100`, { headers })
  const found = ((await listed.json()) as { integrationId: string; source: string }[]).find(
    ({ source }) => source === stripeSimulator.source,
  )
  const answer = await fetch(`${stack.apiUrl}/integrations/${found?.integrationId}`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify({ secretPayload: stripeSimulator.secretPayload }),
  })
  if (!answer.ok) throw new Error(`PATCH /integrations answered ${answer.status}: ${await answer.text()}`)
  return []
}
