import type { StackFile } from '../../local/stack-file.ts'
import { ingestionWorkflowId } from '../../workflows/contract.ts'

/**
 * Posts one chargeback to the demo's sandbox integration.
 * @returns ids of the runs that come to an end
 */
export async function playRawData(stack: StackFile): Promise<string[]> {
  const sandbox = stack.integrations.find(({ source }) => source === 'recoup_sandbox')
  if (!sandbox) throw new Error('The stack has no sandbox integration: start it without --empty.')
  const chargebackId = `scene-${Date.now()}`
  const rawData = { chargebackId, currency: 'EUR', amount: 10, pspStatus: 'won', lifecycleStage: 'chargeback' }
  const answer = await fetch(`${stack.apiUrl}/sandbox/raw-data`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stack.tokens.merchant}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      dataSource: 'worldpay',
      dataSourceVersion: '1',
      dataType: 'chargebacks',
      integrationId: sandbox.integrationId,
      requestTimeStamp: new Date().toISOString(),
      rawData,
    }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`POST /sandbox/raw-data answered ${answer.status}: ${text}`)
  return [ingestionWorkflowId(JSON.parse(text).id)]
}
