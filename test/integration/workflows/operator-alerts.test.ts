import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { createMetrics } from '../../../workflows/worker/metrics.ts'
import { needSecondPerson } from '../cli/audit-fixture.ts'
import { type Fixture, openFixture, pdfOf, subjectOf } from './commands/submission-fixture.ts'

/** Every run was terminated in Temporal's UI. */
const describeRun = async () => ({ memo: {}, status: { name: 'TERMINATED' } })
const temporal = { workflow: { getHandle: () => ({ describe: describeRun, signal: async () => undefined }) } }

describe('operators', () => {
  let fixture: Fixture
  beforeAll(async () => {
    fixture = await openFixture(subjectOf('stripe'), { temporal: temporal as never })
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  let environment: Record<string, string> = { RECOUP_OPERATOR: 'alice' }
  async function recoup(...args: string[]) {
    const out: string[] = []
    const err: string[] = []
    const code = await runCommandLine(args, {
      env: { DATABASE_URL: fixture.stage.database.url, TEMPORAL_ADDRESS: '127.0.0.1:1', ...environment },
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
    })
    return { code, out: out.join('\n'), err: err.join('\n') }
  }
  const trailOf = async (subject: string) => {
    const { out } = await recoup('audit', 'list', '--on', subject, '--json')
    return JSON.parse(out)
  }
  const rendered = () => createMetrics(fixture.stage.db, { ahead: () => null }, 'http://127.0.0.1:1/').render()
  const metrics = async () => {
    const text = await rendered()
    const lines = text.matchAll(/^((?:commands_|chargebacks|integrations|poll_)\S*) (\S+)$/gm)
    return Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
  }

  test('find every metric of the table of alerts at /metrics', async () => {
    const page = readFileSync('docs/operating.md', 'utf8')
    const [table = ''] = /\| metric \| alert \|[\s\S]*?\n\n/.exec(page) ?? []
    const cells = [...table.matchAll(/^\| ([^|]*)/gm)].map(([, cell = '']) => cell)
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([a-z_]{6,})`/g)].map(([, name = '']) => name))
    // The API's metrics have their own tests, and the SDK's are not ours.
    const labels = ['status', 'result', 'method', 'currency']
    const own = named.filter((name) => !/^(recoup_api_|temporal_)/.test(name) && !labels.includes(name))
    const text = await rendered()
    expect(own.length).toBeGreaterThan(10)
    expect(own.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([])
  })

  test('see in metrics that a stuck command is due soon, and find and resolve it by the command line', async () => {
    const { id } = await fixture.open({ dueInHours: 11 })
    const submission = await fixture.request(id, await fixture.file(await pdfOf(1)))
    const requested_at = new Date(Date.now() - 5 * 60_000)
    await fixture.stage.db.updateTable('command').set({ requested_at }).where('command_id', '=', submission).execute()
    expect(await metrics()).toMatchObject({
      ...{
        commands_due_soon: '0',
        commands_needs_attention: '0',
        'integrations{psp="stripe",status="SUCCESSFUL"}': '1',
      },
      'chargebacks{psp="stripe",status="pending_psp_results"}': '0',
      'chargebacks{psp="stripe",status="building_evidence"}': '1',
    })
    await fixture.run(fixture.activities.settleCommands as (input: undefined) => Promise<number>, undefined)
    expect(await metrics()).toMatchObject({ commands_due_soon: '1', commands_needs_attention: '1' })

    const unreachable = { code: 0, out: expect.stringMatching(/^run +Temporal does not respond$/m) }
    expect(await recoup('job', 'show', submission)).toMatchObject(unreachable)
    const { out } = await recoup('job', 'list', '--needs-attention', '--json')
    expect(JSON.parse(out)).toMatchObject([{ jobId: submission }])
    expect(await recoup('job', 'resolve', submission, '--as', 'perhaps', '--reason', 'No.')).toMatchObject({ code: 2 })
    expect(await recoup('job', 'resolve', submission, '--as', 'failed')).toMatchObject({ code: 2 })
    const reason = 'Nothing of it is at the PSP: submit it again.'
    expect(await recoup('job', 'resolve', submission, '--as', 'failed', '--reason', reason)).toMatchObject({
      ...{ code: 0, err: '' },
    })
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'failed', error: reason })
    const events = fixture.stage.db
      .selectFrom('timeline_event')
      .select(['what', 'after'])
      .where('source', '=', 'operator')
    expect(await events.where('chargeback_id', '=', id).execute()).toMatchObject([
      { what: 'evidence submission failed', after: { submitEvidenceId: submission, reason, operator: 'alice' } },
    ])
    expect(await trailOf(submission)).toMatchObject([
      { operator: 'alice', action: 'job resolve', outcome: 'done', reason, details: { as: 'failed' } },
    ])
    expect(await metrics()).toMatchObject({ commands_due_soon: '0', commands_needs_attention: '0' })
  })

  test('resolve a job with a second person: one requests, another approves, and the timeline names both', async () => {
    const { id } = await fixture.open({ dueInHours: 11 })
    const submission = await fixture.request(id, await fixture.file(await pdfOf(1)))
    const needing = { needs_attention: true, attention_reason: 'unknown' }
    await fixture.stage.db.updateTable('command').set(needing).where('command_id', '=', submission).execute()
    await needSecondPerson(fixture.stage, ['jobs'])
    environment = { RECOUP_OPERATOR: 'alice' }
    const reason = 'The dashboard shows the file.'
    const requested = await recoup('job', 'resolve', submission, '--as', 'succeeded', '--reason', reason, '--json')
    const { requestId } = JSON.parse(requested.out)
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'created' })
    expect(await recoup('approve', requestId, '--operator', 'ALICE')).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('another operator has to approve') },
    })
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'created' })
    expect(await recoup('approve', requestId, '--operator', 'bob')).toMatchObject({ code: 0, err: '' })
    expect(await fixture.read(id, submission)).toMatchObject({ status: 'succeeded' })
    const timeline = (await fixture.stage.call('GET', `/v1/chargebacks/${id}/timeline`)).body.data
    expect(timeline).toContainEqual({
      ...{ when: expect.any(String), source: 'operator', what: 'evidence submission succeeded' },
      after: { submitEvidenceId: submission, reason, operator: 'alice', approvedBy: 'bob' },
    })
    expect(await trailOf(submission)).toMatchObject([
      { operator: 'bob', outcome: 'approved', reason, details: { as: 'succeeded', requestId, requestedBy: 'alice' } },
      { operator: 'alice', outcome: 'requested', reason, details: { as: 'succeeded', requestId } },
    ])
    expect(await recoup('approve', requestId, '--operator', 'carol')).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('approved by bob already') },
    })
  })

  test('see the age of the last successful poll, also of FAILED integrations, not of paused ones', async () => {
    const ages: number[] = []
    const polled = { last_successful_poll_at: new Date(Date.now() - 7_200_000) }
    for (const change of [{ status: 'SUCCESSFUL' }, { status: 'FAILED' }, { paused: true }, { status: 'INACTIVE' }]) {
      await fixture.stage.db
        .updateTable('integration')
        .set({ ...polled, paused: false, ...change })
        .execute()
      ages.push(Math.round(Number((await metrics()).poll_freshness_seconds) / 60))
    }
    expect(ages).toEqual([120, 120, 0, 0])
    await fixture.stage.db.updateTable('integration').set({ status: 'FAILED', verified_at: null }).execute()
    expect((await metrics()).poll_freshness_seconds).toBe('0')
  })
})
