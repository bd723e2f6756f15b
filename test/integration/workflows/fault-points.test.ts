import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { requestRotation } from '../../../db/integrations/secret-rotations.ts'
import { NEXT_KEY } from '../../../simulators/stripe/keys.ts'
import { WORKFLOWS } from '../../../workflows/contract.ts'
import { dispatchDue } from '../../../workflows/starters/dispatch.ts'
import { byOwner } from '../../harness/database.ts'
import { FAULT_POINTS } from '../../harness/fault-points/points.ts'
import { watchStarts } from '../../harness/fault-points/temporal.ts'
import { type Fixture, openFixture, pdfOf, subjectOf } from './commands/submission-fixture.ts'

/** Which fault points each operation passes, and in which order. */
let fixture: Fixture
let passed: string[] = []
beforeAll(async () => {
  fixture = await openFixture(subjectOf('stripe'))
  for (const point of FAULT_POINTS) fixture.atFaultPoint.set(point, async () => void passed.push(point))
})
afterAll(() => fixture[Symbol.asyncDispose]())
beforeEach(() => {
  passed = []
})

const EFFECT = ['before_probe', 'before_psp', 'before_call', 'after_psp', 'before_confirm']
const RECORD = ['before_record', 'during_record', 'after_record']
const of = (prefix: string, names: string[]) => names.map((name) => `${prefix}.${name}`)
const POLL = ['poll.before_page', 'poll.during_page', 'poll.before_end']

async function accepted(id: string): Promise<string> {
  await fixture.stage.call('POST', `/v1/chargebacks/${id}/accept`)
  const commands = fixture.stage.db.selectFrom('command').select('command_id').where('chargeback_id', '=', id)
  return (await commands.executeTakeFirstOrThrow()).command_id
}

describe('fault points of', () => {
  test('an acceptance', async () => {
    const { activities, run } = fixture
    const { id } = await fixture.open()
    const acceptanceId = await accepted(id)
    passed = []
    await run(activities.acceptAtPsp, { acceptanceId })
    await run(activities.recordAcceptance, { acceptanceId })
    expect(passed).toEqual(of('accept', [...EFFECT, ...RECORD]))
  })

  test('a submission, uploaded and staged first', async () => {
    const { id } = await fixture.open()
    const submission = await fixture.request(id, await fixture.file(await pdfOf(1)))
    passed = []
    await fixture.work(submission)
    const upload = ['before_plan', 'after_plan', 'before_upload', 'after_upload']
    const stage = ['before_stage', 'before_stage_call', 'after_stage']
    expect(passed).toEqual(of('submit', [...upload, ...stage, ...EFFECT, ...RECORD]))
  })

  test('a poll of two pages', async () => {
    await fixture.control('POST', '/disputes', { count: 150 })
    await fixture.poll()
    expect(passed).toEqual(['poll.before_next_page', ...POLL.slice(0, 2), 'poll.between_pages', ...POLL])
  })

  test('a page with a row that the database refuses: its halves, and the row that is quarantined', async () => {
    const { disputes } = await fixture.control('POST', '/disputes', { count: 4 })
    const refs: string[] = disputes.map(({ ref }: { ref: string }) => ref)
    const { url: databaseUrl } = fixture.stage.database
    const refuses = sql.raw(`alter table chargeback add constraint bad check (chargeback_id <> '${refs[1]}') not valid`)
    await byOwner(databaseUrl, refuses)
    await fixture.poll()
    await byOwner(databaseUrl, sql`alter table chargeback drop constraint bad`)
    const page = passed.slice(0, passed.indexOf('poll.between_pages'))
    const count = (name: string) => page.filter((point) => point === `poll.${name}`).length
    // The next page is requested before this one is compared.
    expect(page.slice(0, 2)).toEqual(['poll.before_next_page', 'poll.before_page'])
    // Six statements, each with its point before it: of four rows, two and one, refused, and the three parts that are stored,
    // with a fault point after each but the last.
    expect(['before_aside', 'during_page', 'between_halves'].map(count)).toEqual([1, 6, 2])
    expect(page.at(-1)).toBe('poll.during_page')
    const stored = fixture.stage.db.selectFrom('chargeback').select('chargeback_id').where('chargeback_id', 'in', refs)
    expect(await stored.execute()).toHaveLength(3)
  })

  test('the replacement of a secret', async () => {
    const { activities, run, integrationId, stage } = fixture
    const { rotationId } = await requestRotation(stage.db, stage.ring, {
      integrationId,
      secretType: 'APIKEY_ONLY',
      secretPayload: { apiKey: NEXT_KEY },
    })
    expect(await run(activities.rotateSecret, { rotationId })).toEqual({ outcome: 'replaced' })
    expect(passed).toEqual(of('rotate', ['before_check', 'after_check', 'during_swap', 'after_end']))
  })

  test('an evaluation of scope rules', async () => {
    const { integrationId } = fixture
    await fixture.run(fixture.activities.reevaluateSlice, { integrationId, asked: 1, after: null })
    expect(passed).toEqual(['scope.before_slice'])
  })

  test('the start of a run', async () => {
    const { id } = await fixture.open()
    const commandId = await accepted(id)
    await fixture.stage.db.deleteFrom('outbox').where('kind', '<>', 'accept_chargeback').execute()
    const started: unknown[] = []
    const temporal = {
      connection: { withDeadline: (_: number, work: () => Promise<unknown>) => work() },
      workflow: {
        start: async (type: string) => void started.push(type),
        getHandle: () => ({ describe: async () => ({ memo: { commandId } }) }),
      },
    } as never
    const abouts: string[] = []
    watchStarts(temporal, async (point, about) => {
      passed.push(point)
      abouts.push(about)
    })
    passed = []
    await sql`update outbox set next_attempt_at = now()`.execute(fixture.stage.db)
    const { db, polling, log } = fixture.deps
    expect((await dispatchDue({ db, temporal, polling, log }, 20)).done).toBeGreaterThan(0)
    expect(started).toContain(WORKFLOWS.acceptChargeback)
    expect(passed.slice(0, 3)).toEqual(of('dispatch', ['before_claim', 'before_start', 'after_start']))
    expect(abouts).toContain(id)
  })
})
