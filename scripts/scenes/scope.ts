import type { StackFile } from '../../local/stack-file.ts'
import { scopeWorkflowId } from '../../workflows/contract.ts'

/**
 * Takes the chargebacks of the demo's Stripe integration out of scope by their stage, and right away back.
 * @returns ids of the runs that come to an end
 */
export async function playScopeChanges(stack: StackFile): Promise<string[]> {
  const stripe = stack.integrations.find(({ source }) => source === 'stripe')
  if (!stripe) throw new Error('The stack has no Stripe integration: start it without --empty.')
  for (const rules of [{ lifecycleStages: ['chargeback'] }, {}]) {
    const answer = await fetch(`${stack.apiUrl}/integrations/${stripe.integrationId}/scope-settings`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${stack.tokens.merchant}`, 'content-type': 'application/json' },
      body: JSON.stringify(rules),
    })
    if (!answer.ok) throw new Error(`PUT scope-settings answered ${answer.status}: ${await answer.text()}`)
  }
  return [scopeWorkflowId(stack.merchant.merchantUuid, stripe.source)]
}
