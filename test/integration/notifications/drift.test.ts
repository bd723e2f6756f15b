import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import type { DriftReport } from '../../../db/polling/drift.ts'
import { byOwner } from '../../harness/database.ts'
import { chargebackOf, pollNow } from '../../harness/rows.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { allHistories } from '../../harness/traces.ts'
import { listeningIntegration } from './stripe-hooks.ts'

let stack: Stack
let hook: Awaited<ReturnType<typeof listeningIntegration>>
beforeAll(async () => {
  stack = await startStack()
  hook = await listeningIntegration(stack)
})
afterAll(() => stack[Symbol.asyncDispose]())

async function recoup(...args: string[]) {
  const output = { out: '', err: '' }
  const code = await runCommandLine(args, {
    env: { DATABASE_URL: stack.databaseUrl },
    out: (text) => {
      output.out += text
    },
    err: (text) => {
      output.err += text
    },
  })
  return { code, ...output }
}

async function drift(integrationId = hook.integrationId): Promise<DriftReport> {
  const { code, out, err } = await recoup('integration', 'drift', integrationId, '--json')
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out)
}
const none = { count: 0, references: [] }
const only = (...references: string[]) => ({ count: references.length, references })

/** Deletes a chargeback as if it had never been stored. */
async function forget(ref: string): Promise<void> {
  const { id = '' } = await chargebackOf(stack, ref)
  // Timeline events can be deleted only while triggers are disabled.
  await byOwner(
    stack.databaseUrl,
    sql.raw(`set session_replication_role = replica; delete from timeline_event where chargeback_id = '${id}';
      delete from chargeback where id = '${id}'`),
  )
}

describe('npm run recoup -- integration drift', () => {
  test('finds nothing if both sides have the same', async () => {
    const { body } = await stack.control('POST', '/disputes', { account: hook.account, count: 120 })
    expect(body.disputes).toHaveLength(120)
    await pollNow(stack, hook.integrationId)
    expect(await drift()).toMatchObject({
      integrationId: hook.integrationId,
      source: 'stripe',
      atPsp: 120,
      here: 120,
      missingHere: none,
      missingAtPsp: none,
      differing: none,
      quarantined: none,
      unconfirmed: 0,
    })
  })

  test('names what is missing here, missing at the PSP, different or quarantined', async () => {
    const [lost, deleted, changed] = [await hook.create(), await hook.create(), await hook.create({ currency: 'usd' })]
    const { body } = await stack.control('POST', '/disputes', { account: hook.account, malformed: 'amount_text' })
    await pollNow(stack, hook.integrationId)
    await forget(lost)
    await stack.control('DELETE', `/disputes/${deleted}`)
    await stack.control('PATCH', `/disputes/${changed}`, { amount: '77.77' })
    const before = await hook.row()
    expect(await drift()).toMatchObject({
      atPsp: 123,
      here: 122,
      missingHere: only(lost),
      missingAtPsp: only(deleted),
      differing: only(changed),
      quarantined: only(body.disputes[0].ref),
    })
    // The report changes nothing.
    expect(await hook.row()).toMatchObject({ cursor: before.cursor, polled_at: before.polled_at, fence: before.fence })
    await pollNow(stack, hook.integrationId)
    expect(await drift()).toMatchObject({ missingHere: none, missingAtPsp: only(deleted), differing: none })
  })

  test('the workflow history holds counts, but no reference of a dispute', async () => {
    const runs = (await allHistories(stack)).filter(({ workflowId }) => workflowId === `drift:${hook.integrationId}`)
    expect(runs.length).toBeGreaterThanOrEqual(3)
    for (const { text } of runs) {
      expect(text).toContain('missingAtPsp')
      expect(text).not.toMatch(/\bd[up]_\w{10}/)
    }
  })

  test('says why there is no report', async () => {
    expect(await recoup('integration', 'drift', '0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10')).toMatchObject({
      code: 1,
      err: expect.stringContaining('There is no integration'),
    })
    await stack.control('POST', '/faults', { kind: '401', count: 5, match: { path: '/v1/disputes' } })
    expect(await recoup('integration', 'drift', hook.integrationId)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^There is no drift report: .+/),
    })
    await stack.control('DELETE', '/faults')
    expect(await recoup('integration', 'drift', hook.integrationId, '--wait', 'long')).toMatchObject({ code: 2 })
  })
})
