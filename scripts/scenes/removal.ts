import { connect } from '../../db/core/connect.ts'
import type { StackFile } from '../../local/stack-file.ts'
import { removalWorkflowId } from '../../workflows/contract.ts'

/**
 * Has a person erased that only one transaction of the demo's merchant knows.
 * @returns ids of the runs that come to an end
 */
export async function playRemoval(stack: StackFile): Promise<string[]> {
  const email = `scene-${Date.now()}@example.com`
  await post(stack, '/transactions', { transactionId: `scene-${Date.now()}`, transactionOrderEmail: email })
  await post(stack, '/data-subjects/removal', { email, firstName: 'Scene', lastName: 'Removal' })
  const db = connect(stack.databaseUrl, { scope: 'system' })
  const { removal_id } = await db
    .selectFrom('removal')
    .select('removal_id')
    .orderBy('removal_id', 'desc')
    .executeTakeFirstOrThrow()
  await db.destroy()
  return [removalWorkflowId(removal_id)]
}

async function post(stack: StackFile, path: string, body: object): Promise<void> {
  const answer = await fetch(`${stack.apiUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.tokens.merchant}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
}
