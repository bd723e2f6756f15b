import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommandLine } from '../../../../cli/run.ts'
import { open, sealContext } from '../../../../db/core/seal.ts'
import { setGoLive } from '../../../../db/integrations/integration-operations.ts'
import { allChargebacks, chargebackOf, createDispute, pollNow } from '../../../harness/rows.ts'
import { type Stack, startStack } from '../../../harness/stack.ts'
import { until } from '../../../harness/until.ts'

let stack: Stack
let integrationId: string
beforeAll(async () => {
  stack = await startStack()
  // Two pages; each costs a second of the PSP's rate limit for every 15 disputes.
  await stack.control('POST', '/disputes', { count: 110 })
  integrationId = await stack.connectStripe()
  await until('all disputes are ingested', () => allChargebacks(stack), { holds: (all) => all.length === 110 })
})
afterAll(() => stack[Symbol.asyncDispose]())

const listCalls = async () =>
  (await stack.control('GET', '/calls?method=GET')).body.calls.filter(
    (call: { path: string }) => call.path === '/v1/disputes',
  )

describe('polling', () => {
  test('the first poll stores every dispute of the PSP, each once, over several pages', async () => {
    const { body } = await stack.control('GET', '/disputes?limit=1000')
    const refs = body.disputes.map((dispute: { ref: string }) => dispute.ref).sort()
    expect((await allChargebacks(stack)).map((one) => one.chargebackId).sort()).toEqual(refs)
  })

  test('statuses are the PSP’s, and each chargeback’s status follows from them', async () => {
    const all = await allChargebacks(stack)
    expect(new Set(all.map((one) => one.pspStatus))).toEqual(
      new Set(['needs_response', 'under_review', 'won', 'lost', 'not_applicable', 'evidence_not_submitted_by_psp']),
    )
    for (const one of all)
      if (one.pspStatus === 'under_review' || one.pspStatus === 'won') expect(one.status).toBe('pending_psp_results')
  })

  test('enrichment joins the transaction of each chargeback', async () => {
    const waiting = stack.db.selectFrom('chargeback').select('id').where('is_enriched', '=', false).limit(1)
    await until('all are enriched', () => waiting.execute(), { holds: (rows) => rows.length === 0, timeoutMs: 90_000 })
    const all = await allChargebacks(stack)
    expect(all.every((one) => one.isEnriched)).toBe(true)
    expect(all.every((one) => typeof one.enrichmentRatio === 'number' && one.enrichmentRatio > 0)).toBe(true)
    expect(all.some((one) => one.cardLastFourDigits !== undefined)).toBe(true)
  })

  test('a poll with nothing new reads the list once per page and writes no chargeback', async () => {
    const versions = () => stack.db.selectFrom('chargeback').select(['id', 'version']).orderBy('id').execute()
    const before = await versions()
    await pollNow(stack, integrationId)
    expect(await versions()).toEqual(before)
  })

  test('the next poll stores a dispute that is new, changed or decided', async () => {
    const fresh = await createDispute(stack, { amount: 43.21, currency: 'usd' })
    await pollNow(stack, integrationId)
    const chargeback = await chargebackOf(stack, fresh)
    expect(chargeback).toMatchObject({ amount: 43.21, currency: 'USD', pspStatus: 'needs_response', psp: 'stripe' })
    const enriched = await until('it is enriched', () => chargebackOf(stack, fresh), {
      holds: (one) => Boolean(one.isEnriched),
    })
    await stack.control('POST', `/disputes/${fresh}/decide`, { outcome: 'lost' })
    await pollNow(stack, integrationId)
    const { enrichmentRatio, paymentMethod, cardLastFourDigits } = enriched
    const kept = {
      enrichmentRatio,
      ...(paymentMethod && { paymentMethod }),
      ...(cardLastFourDigits && { cardLastFourDigits }),
    }
    expect(await chargebackOf(stack, fresh)).toMatchObject({ pspStatus: 'lost', status: 'not_represented', ...kept })
    const events = await stack.db
      .selectFrom('timeline_event')
      .select('what')
      .where('chargeback_id', '=', chargeback.id as string)
      .orderBy('timeline_event_id')
      .execute()
    expect(events.map((event) => event.what)).toEqual(
      expect.arrayContaining(['ingested', 'pspStatus changed', 'status changed']),
    )
  })

  test('a malformed dispute of any kind is quarantined with its reason and its bytes, and the others are stored', async () => {
    const kinds = [
      'amount_text',
      'amount_float',
      'amount_huge',
      'amount_missing',
      'id_null',
      'id_missing',
      'created_text',
      'currency_unknown',
      'nul_character',
      'lone_surrogate',
      'not_an_object',
    ]
    for (const malformed of kinds)
      expect((await stack.control('POST', '/disputes', { malformed })).status).toBeLessThan(300)
    const valid = await createDispute(stack)
    await pollNow(stack, integrationId)
    await chargebackOf(stack, valid)
    const rows = await stack.db
      .selectFrom('quarantine')
      .selectAll()
      .where('integration_id', '=', integrationId)
      .execute()
    expect(rows).toHaveLength(kinds.length)
    for (const row of rows) {
      expect(row.reason).toMatch(/\w+ \w+/)
      expect(open(stack.ring, row.sealed, sealContext.rawObject(integrationId)).length).toBeGreaterThan(1)
    }
  })

  test('an operator sees a quarantined dispute with its reason, and can have it read again', async () => {
    const recoup = async (...args: string[]) => {
      let output = ''
      const out = (text: string) => {
        output += text
      }
      await runCommandLine([...args, '--json'], { env: { DATABASE_URL: stack.databaseUrl }, out, err: out })
      return JSON.parse(output)
    }
    const ref = await createDispute(stack, { fields: { currency: 'zzz' } })
    await pollNow(stack, integrationId)
    const [newest] = await recoup('integration', 'quarantine', integrationId)
    expect(newest).toMatchObject({ reference: ref, reason: expect.stringContaining('currency'), seen: 1 })
    await stack.control('PATCH', `/disputes/${ref}`, { fields: { currency: 'usd' } })
    expect(await recoup('integration', 'quarantine', integrationId, '--retry')).toMatchObject({ asked: 'poll' })
    expect(await chargebackOf(stack, ref)).toMatchObject({ currency: 'USD' })
    const left: { reference: string }[] = await recoup('integration', 'quarantine', integrationId)
    expect(left.map(({ reference }) => reference)).not.toContain(ref)
  })

  test('an unknown status is stored as unknown, not quarantined', async () => {
    const { body } = await stack.control('POST', '/disputes', { malformed: 'status_unknown' })
    await pollNow(stack, integrationId)
    expect(await chargebackOf(stack, body.disputes[0].ref)).toMatchObject({ pspStatus: 'unknown' })
  })

  test('429 with Retry-After: the account is not called before that time', async () => {
    await stack.control('POST', '/faults', {
      kind: '429',
      count: 1,
      retryAfter: 3,
      match: { method: 'GET', path: '/v1/disputes' },
    })
    const { enqueue } = await import('../../../../db/core/outbox.ts')
    const seen = (await listCalls()).length
    await enqueue(stack.db, { kind: 'poll_now', payload: { integrationId } })
    const limited = await until('the PSP refused', async () => (await listCalls())[seen], {
      holds: (call) => call?.status === 429,
    })
    await enqueue(stack.db, { kind: 'poll_now', payload: { integrationId } })
    const next = await until('the next call comes', async () => (await listCalls())[seen + 1])
    expect(Date.parse(next.when) - Date.parse(limited.when)).toBeGreaterThanOrEqual(2_900)
  })

  test('chargebacks of an integration are not represented until an operator sets it live', async () => {
    const waiting = 'acct_waitsforgolive'
    const ref = await createDispute(stack, { account: waiting, stage: 'chargeback', dueInHours: 400 })
    const id = await stack.connectStripe({ externalIdentifier: waiting, goLiveDate: null })
    const notRepresented = { pspStatus: 'needs_response', status: 'not_represented', merchantReferenceName: waiting }
    expect(await chargebackOf(stack, ref)).toMatchObject(notRepresented)
    await setGoLive(stack.db, id, null)
    await until('it is handled', () => chargebackOf(stack, ref), {
      holds: ({ status }) => status === 'waiting_for_data' || status === 'building_evidence',
    })
  })

  test('an account that had no dispute when it was connected: the next poll stores its first ones', async () => {
    const empty = 'acct_connected-while-empty'
    const id = await stack.connectStripe({ externalIdentifier: empty })
    await until('it was polled', async () => {
      const row = await stack.db
        .selectFrom('integration')
        .select('polled_at')
        .where('integration_id', '=', id)
        .executeTakeFirstOrThrow()
      return row.polled_at
    })
    const { body } = await stack.control('POST', '/disputes', { account: empty, count: 5 })
    await pollNow(stack, id)
    for (const { ref } of body.disputes)
      expect(await chargebackOf(stack, ref)).toMatchObject({ merchantReferenceName: empty, integrationId: id })
  })

  test('runs can be found by integration, and show the PSP', async () => {
    const runs = stack.temporal.workflow.list({
      query: `WorkflowType = 'pollIntegration' AND IntegrationId = '${integrationId}'`,
    })
    let found = 0
    for await (const run of runs) {
      found++
      expect(run.searchAttributes.Psp).toEqual(['stripe'])
    }
    expect(found).toBeGreaterThan(1)
  })
})
