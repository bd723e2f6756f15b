import type { Client } from '@temporalio/client'
import pg from 'pg'
import { testServers } from './servers.ts'

/** Created with the server: a namespace that is registered later is visible to every call only after seconds. */
export const NAMESPACES: readonly string[] = Array.from({ length: 100 }, (_, index) => `test-${index}`)

/** A Temporal namespace that no other test of this run uses, with all search attributes. */
export async function takeNamespace(): Promise<string> {
  const client = new pg.Client(testServers().postgresUrl)
  await client.connect()
  try {
    const { rows } = await client.query<{ taken: string }>(`select nextval('namespaces') - 1 as taken`)
    const name = NAMESPACES[Number(rows[0]?.taken)]
    if (!name)
      throw new Error(`more than ${NAMESPACES.length} namespaces used in one run: raise the number in namespace.ts`)
    return name
  } finally {
    await client.end()
  }
}

/** Deletes schedules and ends runs: they would slow the server down for every later test. */
export async function emptyNamespace(client: Client): Promise<void> {
  await client.connection.withDeadline(Date.now() + 10_000, async () => {
    for await (const { scheduleId } of client.schedule.list()) await client.schedule.getHandle(scheduleId).delete()
    for await (const { workflowId } of client.workflow.list({ query: 'ExecutionStatus = "Running"' }))
      await client.workflow.getHandle(workflowId).terminate('the test is over')
  })
}
