import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCommand } from '../../../../db/commands/commands.ts'
import type { Chargeback } from '../../../../db/schema.ts'
import type { Stage } from '../stage.ts'
import { addChargeback, addIntegration, type Place, stageWithIntegration } from './chargeback-rows.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const add = (values: Partial<Insertable<Chargeback>> = {}) => addChargeback(stage.db, at, values)
const decide = (id: string, body: unknown, headers = {}) =>
  stage.call('PATCH', `/v1/chargebacks/${id}/should-fight`, { body, headers })
const row = (id: string) => stage.db.selectFrom('chargeback').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const timeline = (id: string) =>
  stage.db
    .selectFrom('timeline_event')
    .select(['source', 'what', 'before', 'after'])
    .where('chargeback_id', '=', id)
    .orderBy('timeline_event_id')
    .execute()

describe('PATCH /chargebacks/{id}/should-fight', () => {
  test('to fight: stored with credential and time, built at once, shown in the timeline', async () => {
    const id = await add()
    const response = await decide(id, { shouldFight: true })
    expect([response.status, response.body]).toEqual([201, { status: 201, message: 'Decision stored', id }])
    const stored = await row(id)
    expect(stored).toMatchObject({
      should_fight: true,
      should_fight_by: stage.credentialId,
      status: 'building_evidence',
      status_reason: 'The client decided to fight.',
      scope_decision: { by: 'should_fight', inScope: true },
    })
    expect(Math.abs(Date.now() - Number(stored.should_fight_at))).toBeLessThan(60_000)
    const shown = (await timeline(id)).filter(({ what }) => what !== 'assessment changed')
    expect(shown).toEqual([
      {
        source: 'api',
        what: 'should-fight decided',
        before: { shouldFight: null },
        after: { shouldFight: true, credentialId: stage.credentialId },
      },
      {
        source: 'api',
        what: 'status changed',
        before: { status: 'waiting_for_data', reason: 'new' },
        after: { status: 'building_evidence', reason: 'The client decided to fight.' },
      },
    ])
  })

  test('not to fight: out of scope but not accepted, until the client changes the decision', async () => {
    const id = await add({ status: 'building_evidence' })
    await decide(id, { shouldFight: false })
    expect(await row(id)).toMatchObject({
      status: 'not_represented',
      psp_status: 'needs_response',
      win_probability: null,
    })
    expect(await stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).execute()).toEqual([])
    await decide(id, { shouldFight: true })
    expect((await row(id)).status).toBe('building_evidence')
  })

  test('overrides scope rules both ways', async () => {
    await stage.call('PUT', `/v1/integrations/${at.integrationId}/scope-settings`, { body: { cardSchemes: ['amex'] } })
    const [out, within] = [
      await add({ card_scheme: 'amex', status: 'not_represented' }),
      await add({ card_scheme: 'visa' }),
    ]
    await decide(out, { shouldFight: true })
    await decide(within, { shouldFight: false })
    expect([(await row(out)).status, (await row(within)).status]).toEqual(['building_evidence', 'not_represented'])
  })

  test('the same decision again changes nothing', async () => {
    const id = await add()
    await decide(id, { shouldFight: true })
    const [before, events] = [await row(id), await timeline(id)]
    expect((await decide(id, { shouldFight: true })).status).toBe(201)
    expect([await row(id), await timeline(id)]).toEqual([before, events])
  })

  test('a repeated Idempotency-Key returns the same response, and another body is refused', async () => {
    const id = await add()
    const headers = { 'idempotency-key': randomUUID() }
    const first = await decide(id, { shouldFight: false }, headers)
    await decide(id, { shouldFight: true })
    expect((await decide(id, { shouldFight: false }, headers)).body).toEqual(first.body)
    expect((await row(id)).should_fight).toBe(true)
    expect((await decide(id, { shouldFight: true }, headers)).body.code).toBe('idempotency_key_reused')
  })

  test.each([
    ['not_open', { psp_status: 'under_review' }],
    ['not_open', { psp_status: 'won' }],
    ['not_open', { psp_status: 'unknown' }],
    ['overdue', { due_date: new Date(Date.now() - 1000) }],
  ])('%s: the decision can no longer change', async (code, values) => {
    const id = await add(values)
    const response = await decide(id, { shouldFight: true })
    expect([response.status, response.body.code]).toEqual([400, code])
    expect(await row(id)).toMatchObject({ should_fight: null, version: 1n })
  })

  test.each([
    ['acceptance', 'created', 'acceptance_exists'],
    ['acceptance', 'succeeded', 'acceptance_exists'],
    ['evidence_submission', 'inProgress', 'evidence_submission_exists'],
    ['evidence_submission', 'succeeded', 'evidence_submission_exists'],
    ['acceptance', 'failed', null],
  ] as const)('%s %s: %s', async (kind, status, code) => {
    const id = await add()
    const { merchantUuid, credentialId } = stage
    const dispute = { source: 'stripe', pspAccount: 'acct_1', reference: id }
    const requested = { kind, merchantUuid, chargebackId: id, dispute, round: 1, credentialId }
    const commandId = await createCommand(stage.db, requested)
    await stage.db.updateTable('command').set({ status }).where('command_id', '=', commandId).execute()
    const response = await decide(id, { shouldFight: false })
    expect([response.status, response.body.code]).toEqual(code ? [400, code] : [201, undefined])
  })

  test('deactivated: the chargeback is no longer handled', async () => {
    const integrationId = await addIntegration(stage.db, stage.ring, stage.merchantUuid)
    await stage.db
      .updateTable('integration')
      .set({ deactivation_type: 'postingDate', deactivation_date: new Date('2026-01-15T00:00:00Z') })
      .where('integration_id', '=', integrationId)
      .execute()
    const place = { merchantUuid: stage.merchantUuid, integrationId }
    const responses = await Promise.all(
      ['2026-01-20T00:00:00Z', '2026-01-10T00:00:00Z'].map(async (posted) =>
        decide(await addChargeback(stage.db, place, { posting_date: new Date(posted) }), { shouldFight: true }),
      ),
    )
    expect(responses.map(({ body }) => body.code)).toEqual(['deactivated', undefined])
  })

  test.each([[{}], [{ shouldFight: null }], [{ shouldFight: 'true' }], [{ shouldFight: true, why: 'x' }], [[true]]])(
    'refuses the body %j',
    async (body) => {
      const id = await add()
      expect((await decide(id, body)).body.code).toBe('validation_failed')
      expect((await row(id)).should_fight).toBeNull()
    },
  )

  test('a malformed id, an unknown one and another merchant’s return the same 404', async () => {
    const other = await stage.newMerchant(stage.accountId)
    const integrationId = await addIntegration(stage.db, stage.ring, other.merchantUuid)
    const theirs = await addChargeback(stage.db, { merchantUuid: other.merchantUuid, integrationId })
    for (const id of ['x', randomUUID(), theirs])
      expect((await decide(id, { shouldFight: true })).body.code).toBe('chargeback_not_found')
    expect((await row(theirs)).should_fight).toBeNull()
  })
})
