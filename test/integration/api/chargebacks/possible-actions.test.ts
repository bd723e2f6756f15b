import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adapterFor } from '../../../../adapters/registry.ts'
import { createStage, type Stage, withoutAcceptance } from '../stage.ts'
import { addChargeback, type Place, stageWithIntegration } from './chargeback-rows.ts'

let stage: Stage
let at: Place
beforeAll(async () => {
  ;({ stage, at } = await stageWithIntegration())
})
afterAll(() => stage[Symbol.asyncDispose]())

const read = (id: string, expand = 'actions') => stage.call('GET', `/v1/chargebacks/${id}?expand=${expand}`)
const actionsOf = async (id: string) => (await read(id)).body.data.actions

describe('GET /chargebacks/{id}?expand=', () => {
  it('adds the named fields only, and says the same as without it otherwise', async () => {
    const id = await addChargeback(stage.db, at, { reason_group: 'fraud' })
    const plain = (await stage.call('GET', `/v1/chargebacks/${id}`)).body.data
    expect((await read(id, 'reasonGroup')).body.data).toEqual({ ...plain, reasonGroup: 'fraud' })
    const both = (await read(id, 'actions,reasonGroup')).body.data
    expect(both).toEqual({ ...plain, reasonGroup: 'fraud', actions: both.actions })
  })

  it.each(['', 'all', 'actions,', 'actions;reasonGroup'])('refuses %j', async (expand) => {
    const id = await addChargeback(stage.db, at)
    const { status, body } = await read(id, encodeURIComponent(expand))
    expect([status, body.message]).toEqual([400, 'expand: Must be of actions, reasonGroup'])
  })

  it('has another entity tag when an action becomes impossible', async () => {
    const id = await addChargeback(stage.db, at)
    const first = await read(id)
    await stage.call('POST', `/v1/chargebacks/${id}/accept`)
    expect((await read(id)).headers.get('etag')).not.toBe(first.headers.get('etag'))
  })

  it('is a 404 for another merchant', async () => {
    const other = await stage.newMerchant(stage.accountId)
    const { token } = await stage.issue({
      accountId: stage.accountId,
      scope: 'merchant',
      merchantUuid: other.merchantUuid,
    })
    const id = await addChargeback(stage.db, at)
    const { status } = await stage.call('GET', `/v1/chargebacks/${id}?expand=actions`, { token })
    expect(status).toBe(404)
  })
})

describe('actions', () => {
  it('of an open chargeback are all possible, each with what it does at the PSP', async () => {
    const id = await addChargeback(stage.db, at)
    expect(await actionsOf(id)).toEqual({
      accept: {
        allowed: true,
        consequence: "Stripe closes the dispute as lost. This can't be undone. Fees already charged aren't returned.",
      },
      submit: { allowed: true, consequence: 'Stripe takes evidence once: nothing can be added afterwards.' },
      decide: { allowed: true, consequence: expect.stringContaining('Nothing happens at Stripe') },
    })
  })

  it('of an inquiry say that the PSP closes it against the merchant: nothing was charged back yet', async () => {
    const { accept } = await actionsOf(await addChargeback(stage.db, at, { lifecycle_stage: 'inquiry' }))
    expect(accept).toMatchObject({
      allowed: true,
      consequence: expect.stringMatching(/^Stripe closes the dispute against you\./),
    })
  })

  const cases: [string, object, object][] = [
    ['won', { psp_status: 'won' }, { accept: 'not_open', submit: 'not_open', decide: 'not_open' }],
    [
      'overdue',
      { due_date: new Date(Date.now() - 1_000) },
      { accept: 'overdue', submit: 'overdue', decide: 'overdue' },
    ],
    [
      'an early warning',
      { lifecycle_stage: 'alert' },
      { accept: 'acceptance_not_supported', submit: 'evidence_not_supported' },
    ],
  ]
  it.each(cases)(
    'of a chargeback that is %s say the code of the refusal that the request gets',
    async (_, values, codes) => {
      const id = await addChargeback(stage.db, at, values)
      const actions = await actionsOf(id)
      const found = Object.entries(actions as Record<string, { code?: string }>).flatMap(([name, { code }]) =>
        code ? [[name, code]] : [],
      )
      expect(Object.fromEntries(found)).toEqual(codes)
      const refused = await stage.call('POST', `/v1/chargebacks/${id}/accept`)
      expect({ code: refused.body.code, why: refused.body.message }).toEqual({
        code: actions.accept.code,
        why: actions.accept.why,
      })
    },
  )

  it('end with an acceptance, while it is requested and when it succeeded', async () => {
    const id = await addChargeback(stage.db, at)
    await stage.call('POST', `/v1/chargebacks/${id}/accept`)
    const all = { accept: 'acceptance_exists', submit: 'acceptance_exists', decide: 'acceptance_exists' }
    const codes = async () =>
      Object.fromEntries(
        Object.entries((await actionsOf(id)) as Record<string, { code?: string }>).map(([name, { code }]) => [
          name,
          code,
        ]),
      )
    expect(await codes()).toEqual(all)
    await stage.db.updateTable('command').set({ status: 'succeeded' }).where('chargeback_id', '=', id).execute()
    expect(await codes()).toEqual(all)
    await stage.db.updateTable('command').set({ status: 'failed' }).where('chargeback_id', '=', id).execute()
    expect(await codes()).toEqual({ accept: undefined, submit: undefined, decide: undefined })
  })

  it('of a PSP that takes no acceptance say so before anybody confirms one', async () => {
    const app = stage.secondApp({
      adapters: {
        ...stage.deps.adapters,
        adapterFor: (source, secretType) => withoutAcceptance(adapterFor(source, secretType)),
      },
    })
    const id = await addChargeback(stage.db, at)
    const { body } = await stage.call('GET', `/v1/chargebacks/${id}?expand=actions`, {}, app)
    expect(body.data.actions.accept).toMatchObject({ allowed: false, code: 'acceptance_not_supported' })
  })

  it('of a dispute that another connection answers name nothing of it', async () => {
    const [one, two] = [await addChargeback(stage.db, at), await addChargeback(stage.db, at)]
    const { chargeback_id } = await stage.db
      .selectFrom('chargeback')
      .select('chargeback_id')
      .where('id', '=', one)
      .executeTakeFirstOrThrow()
    await stage.db
      .insertInto('command')
      .values({
        ...{ command_id: two, kind: 'acceptance', merchant_uuid: at.merchantUuid, chargeback_id: two, round: 1 },
        ...{ deadline: new Date(), source: 'stripe', psp_account: '?', reference: chargeback_id, status: 'inProgress' },
      })
      .execute()
    const { accept, submit } = await actionsOf(one)
    expect([accept.code, submit.code]).toEqual(['answered_elsewhere', 'answered_elsewhere'])
    expect(JSON.stringify(accept)).not.toContain(two)
  })
})

describe('GET /chargebacks/{id}/data-points', () => {
  const points = (id: string, token?: string) =>
    stage.call('GET', `/v1/chargebacks/${id}/data-points`, token === undefined ? {} : { token })

  it('has what a client gave, with the time of the last change, merged by name', async () => {
    const id = await addChargeback(stage.db, at)
    const give = (body: object) => stage.call('PATCH', `/v1/chargebacks/${id}`, { body })
    await give({ shippingCarrier: 'UPS', signedDelivery: false, nested: { a: [1, 'x'] }, gone: 'soon' })
    const before = Date.now()
    await give({ shippingCarrier: 'DHL', gone: '' })
    const { status, body } = await points(id)
    expect(status).toBe(200)
    expect(body.data.map(({ when: _, ...rest }: { when: string }) => rest)).toEqual([
      { name: 'nested', source: 'client', value: { a: [1, 'x'] } },
      { name: 'shippingCarrier', source: 'client', value: 'DHL' },
      { name: 'signedDelivery', source: 'client', value: false },
    ])
    expect(Date.parse(body.data[1].when)).toBeGreaterThanOrEqual(before - 1_000)
    expect(Date.parse(body.data[1].when)).toBeGreaterThan(Date.parse(body.data[0].when))
  })

  it('has a joined transaction and the PSP’s context; a client’s value overrides both', async () => {
    const transactionId = 'ch_joined'
    const id = await addChargeback(stage.db, at, {
      transaction_id: transactionId,
      context_points: ['avsResult', 'transactionOrderEmail'],
    })
    const given = { transactionId, transactionOrderEmail: 'buyer@example.com', transactionCardBin: '424242' }
    expect((await stage.call('POST', '/v1/transactions', { body: given })).status).toBe(201)
    const sourceOf = async () =>
      Object.fromEntries(
        (await points(id)).body.data.map(({ name, source, value }: Record<string, unknown>) => [name, [source, value]]),
      )
    expect(await sourceOf()).toMatchObject({
      avsResult: ['psp', undefined],
      transactionOrderEmail: ['transaction', 'buyer@example.com'],
      transactionCardBin: ['transaction', '424242'],
    })
    await stage.call('PATCH', `/v1/chargebacks/${id}`, { body: { transactionOrderEmail: 'other@example.com' } })
    expect(await sourceOf()).toMatchObject({ transactionOrderEmail: ['client', 'other@example.com'] })
  })

  it('has no values for a credential that only reads', async () => {
    const id = await addChargeback(stage.db, at)
    await stage.call('PATCH', `/v1/chargebacks/${id}`, { body: { transactionOrderEmail: 'planted@example.com' } })
    const { token } = await stage.issue({
      ...{ accountId: stage.accountId, scope: 'merchant', merchantUuid: stage.merchantUuid, role: 'read' },
    })
    const { text, body } = await points(id, token)
    expect(text).not.toContain('planted')
    expect(body.data).toEqual([{ name: 'transactionOrderEmail', source: 'client', when: expect.any(String) }])
  })
})

describe('GET /me', () => {
  it('names the credential and the merchants that it may act on, whatever its scope', async () => {
    await using own = await createStage()
    const { merchantUuid, referenceId } = await own.newMerchant(own.accountId, 'second')
    const { token, credentialId, expiresAt } = await own.issue({
      ...{ accountId: own.accountId, scope: 'account', name: 'Jana', role: 'work' },
    })
    const { status, body } = await own.call('GET', '/v1/me', { token, merchant: 'nobody' })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      ...{ credentialId, name: 'Jana', scope: 'account', role: 'work', environment: 'sandbox', hasMore: false },
      expiresAt: expiresAt.toISOString(),
    })
    expect(body.data.merchants.map((one: { referenceId: string }) => one.referenceId).sort()).toEqual(
      [own.referenceId, referenceId].sort(),
    )
    expect((await own.call('GET', '/v1/me')).body.data.merchants).toEqual([
      { merchantUuid: own.merchantUuid, referenceId: own.referenceId, merchantName: 'Shop' },
    ])
    expect(merchantUuid).not.toBe(own.merchantUuid)
  })
})
