import { join } from 'node:path'
import { Worker } from '@temporalio/worker'
import { testServers } from '../../harness/servers.ts'
import { allHistories, allRows } from '../../harness/traces.ts'
import type { Testbed } from '../testbed/prepare.ts'
import { ADAPTERS, simulated } from '../testbed/psps.ts'

/** Maximum histories to check; more show nothing new. */
const HISTORIES = 400
/** Any e-mail address: none may appear in plain text. */
const ADDRESS = /\b[a-z][a-z0-9._%+-]*@[a-z0-9-]+\.[a-z]{2,}/i

export interface Traces {
  /** I12: places of secrets and personal data in plain text. */
  leaks: string[]
  /** I15: histories that don't replay with the current code. */
  unrepeatable: string[]
}

/** Searches logs, tables and histories, including failures and stack traces. */
export async function tracesOf(testbed: Testbed): Promise<Traces> {
  const { stack } = testbed
  const secrets = new Map<string, string>([['the bearer token', stack.token]])
  for (const adapter of ADAPTERS) {
    const { secretPayload, homeSecretPayload = {} } = simulated(adapter).definition
    for (const [name, value] of Object.entries({ ...secretPayload, ...homeSecretPayload }))
      if (value.length >= 12) secrets.set(`${name} of ${adapter}`, value)
  }
  for (const [number, value] of testbed.keys.issued().entries()) secrets.set(`issued secret ${number + 1}`, value)
  const leaks: string[] = []
  const search = (where: string, text: string) => {
    for (const [what, value] of secrets) if (text.includes(value)) leaks.push(`${what} in ${where}`)
    if (ADDRESS.test(text)) leaks.push(`an e-mail address in ${where}`)
  }
  search('the logs', stack.lines().join('\n'))
  for (const { table, text } of await allRows(stack)) search(`the table ${table}`, text)
  const histories = await allHistories(stack, HISTORIES)
  for (const { workflowId, text } of histories) search(`the history ${workflowId}`, text)
  return { leaks, unrepeatable: await replayed(histories) }
}

async function replayed(histories: readonly { workflowId: string; json: string }[]): Promise<string[]> {
  const workflowBundle = { codePath: join(testServers().folder, 'workflows.js') }
  const all = histories.map(({ workflowId, json }) => ({ workflowId, history: JSON.parse(json) }))
  const wrong: string[] = []
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, all))
    if (error) wrong.push(`${workflowId}: ${error.name}`)
  return wrong
}
