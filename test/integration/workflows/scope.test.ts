import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RECONCILE_SCHEDULE_ID, scopeWorkflowId } from '../../../workflows/contract.ts'
import { chargebackOf, createDispute, pollNow } from '../../harness/rows.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'

const holds = mkdtempSync(join(tmpdir(), 'recoup-scope-'))
let stack: Stack
let integrationId: string
/** Chargebacks of the stage `chargeback`, which the rules in these tests exclude. */
let first: string
let second: string
beforeAll(async () => {
  stack = await startStack({ env: { HOLD_AT: holds } })
  integrationId = await stack.connectStripe()
  const references = [await createDispute(stack, { dueInHours: 400 }), await createDispute(stack, { dueInHours: 400 })]
  await pollNow(stack, integrationId)
  const found = await Promise.all(references.map((reference) => chargebackOf(stack, reference)))
  first = found[0]?.id as string
  second = found[1]?.id as string
})
afterAll(async () => {
  await stack[Symbol.asyncDispose]()
  rmSync(holds, { recursive: true })
})

const put = (rules: unknown) => stack.call('PUT', `/integrations/${integrationId}/scope-settings`, rules)
const preview = async (rules: unknown) =>
  (await stack.call('POST', `/integrations/${integrationId}/scope-settings/preview`, rules)).body.data
const stages = { lifecycleStages: ['chargeback'] }
const other = { lifecycleStages: ['inquiry'] }
const statusOf = async (id: string) => (await stack.call('GET', `/chargebacks/${id}`)).body.data.status
const isOut = { holds: (status: string) => status === 'not_represented' }
const isIn = { holds: (status: string) => status === 'waiting_for_data' || status === 'building_evidence' }
const counts = () =>
  stack.db
    .selectFrom('integration')
    .select(['scope_asked', 'scope_done', 'scope_version'])
    .where('integration_id', '=', integrationId)
    .executeTakeFirstOrThrow()
const evaluated = () => until('all is evaluated', counts, { holds: (row) => row.scope_done === row.scope_asked })
const run = () => stack.temporal.workflow.getHandle(scopeWorkflowId(stack.merchantUuid, 'stripe'))
const runEnded = () =>
  until('the run has closed', () => run().describe(), { holds: ({ status }) => status.name !== 'RUNNING' })

describe('changed scope rules', () => {
  test('that exclude nothing keep what a poll and its enrichment decided', async () => {
    for (const id of [first, second])
      await until('it is enriched', async () => (await stack.call('GET', `/chargebacks/${id}`)).body.data.isEnriched)
    await put({})
    await evaluated()
    const events = stack.db.selectFrom('timeline_event').selectAll().where('source', '=', 'scope')
    expect(await events.execute()).toEqual([])
  })

  test('exclude chargebacks, later ones too, and bring them back when the rules are removed', async () => {
    expect(isIn.holds(await statusOf(first))).toBe(true)
    const rule = { dimension: 'lifecycleStages', value: 'chargeback' }
    expect(await preview(stages)).toMatchObject({ leaves: { count: 2, reasons: [rule] }, returns: { count: 0 } })
    expect((await put(stages)).status).toBe(200)
    await until('the rule has excluded it', () => statusOf(first), isOut)
    const later = await createDispute(stack, { dueInHours: 400 })
    await pollNow(stack, integrationId)
    expect((await chargebackOf(stack, later)).status).toBe('not_represented')
    const { status_reason, scope_decision } = await stack.db
      .selectFrom('chargeback')
      .select(['status_reason', 'scope_decision'])
      .where('chargeback_id', '=', later)
      .executeTakeFirstOrThrow()
    const { scope_version: version } = await counts()
    expect(status_reason).toBe(
      `It is out of scope: lifecycleStages chargeback, by version ${version} of the integration's rules.`,
    )
    expect(scope_decision).toEqual({ by: 'scope_rule', inScope: false, version, ...rule })
    expect(await preview({})).toMatchObject({ leaves: { count: 0 }, returns: { count: 3, reasons: [rule] } })
    await put({})
    await until('it is back', () => statusOf(first), isIn)
    await evaluated()
    expect(isIn.holds((await chargebackOf(stack, later)).status as string)).toBe(true)
    expect((await runEnded()).status.name).toBe('COMPLETED')
  })

  test('do not override a client’s decision to fight, now and after further changes', async () => {
    await put(stages)
    await until('the rule has excluded it', () => statusOf(first), isOut)
    expect((await stack.call('PATCH', `/chargebacks/${first}/should-fight`, { shouldFight: true })).status).toBe(201)
    expect(await statusOf(first)).toBe('building_evidence')
    await put({ ...stages, cardSchemes: ['visa', 'mastercard', 'amex'] })
    await evaluated()
    expect(await statusOf(first)).toBe('building_evidence')
    expect(await statusOf(second)).toBe('not_represented')
    await put({})
    await until('the other one is back', () => statusOf(second), isIn)
  })

  test('that change again during a run make it start over, without a second run', async () => {
    await evaluated()
    await runEnded()
    const held = join(holds, `scope.before_slice@${integrationId}`)
    writeFileSync(held, '')
    await put(stages)
    await until('the run is in progress', () => readFileSync(`${held}.reached`, 'utf8'))
    const { runId } = await run().describe()
    for (const rules of [other, stages, other]) expect((await put(rules)).status).toBe(200)
    const undelivered = stack.db.selectFrom('outbox').select('outbox_id').where('kind', '=', 'reevaluate_scope')
    await until('the run has all changes', () => undelivered.execute(), { holds: (rows) => rows.length === 0 })
    rmSync(held)
    await evaluated()
    const ended = await runEnded()
    expect([ended.runId, ended.status.name]).toEqual([runId, 'COMPLETED'])
    expect(isIn.holds(await statusOf(second))).toBe(true)
    rmSync(`${held}.reached`)
  })

  test('are evaluated although the run was terminated: the reconciler starts another', async () => {
    const held = join(holds, `scope.before_slice@${integrationId}`)
    const arrivals = () => readFileSync(`${held}.reached`, 'utf8').trim().split('\n').length
    writeFileSync(held, '')
    await put(stages)
    await until('the run is in progress', arrivals)
    const { runId } = await run().describe()
    await run().terminate('test')
    await stack.temporal.schedule.getHandle(RECONCILE_SCHEDULE_ID).trigger()
    await until('another run is in progress', arrivals, { holds: (count) => count === 2, timeoutMs: 60_000 })
    rmSync(held)
    await evaluated()
    const ended = await runEnded()
    expect([ended.runId === runId, ended.status.name]).toEqual([false, 'COMPLETED'])
    expect(await statusOf(second)).toBe('not_represented')
  })
})
