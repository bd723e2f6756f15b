import { SERVICE } from '../../../../simulators/adyen/index.ts'
import { DEMO_ACCOUNT, DEMO_KEY } from '../../../../simulators/adyen/keys.ts'
import type { RunningSimulator } from '../../../../simulators/engine/serve.ts'

export type Json = Record<string, unknown>

export async function control<T = Json>(
  running: RunningSimulator,
  method: string,
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await fetch(`${running.controlUrl}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return (await response.json()) as T
}

export async function create(running: RunningSimulator, order: Json = {}): Promise<string> {
  const { disputes } = await control<{ disputes: { ref: string }[] }>(running, 'POST', '/disputes', {
    count: 1,
    status: 'needs_response',
    stage: 'chargeback',
    reason: '4837',
    dueInHours: 48,
    ...order,
  })
  return disputes[0]?.ref ?? ''
}

export async function call(
  running: RunningSimulator,
  operation: string,
  body: Json | string,
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${running.url}${SERVICE}/${operation}`, {
    method: 'POST',
    headers: { 'x-api-key': DEMO_KEY, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify({ merchantAccountCode: DEMO_ACCOUNT, ...body }),
  })
  return { status: response.status, body: (await response.json()) as Json & { disputeServiceResult?: Json } }
}
