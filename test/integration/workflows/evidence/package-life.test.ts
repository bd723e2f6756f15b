import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeSettings } from '../../../../db/merchants/account-settings.ts'
import { stripeSimulator } from '../../../../simulators/stripe/index.ts'
import { chargebackOf, submissionEnd } from '../../../harness/rows.ts'
import { type Stack, startStack } from '../../../harness/stack.ts'
import { until } from '../../../harness/until.ts'
import { DELIVERED } from './package-fixture.ts'

let stack: Stack
beforeAll(async () => {
  stack = await startStack({ env: { RECOUP_POLL_INTERVAL_SECONDS: '2' } })
}, 120_000)
afterAll(() => stack[Symbol.asyncDispose]())

const PATIENT = { timeoutMs: 120_000 }
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const control = async (path: string, body?: unknown) => {
  const response = await fetch(`${stack.simulator.controlUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: checked by the test
  return (await response.json()) as any
}
const draft = async (id: string) => stack.call('GET', `/chargebacks/${id}/evidence/draft`)

/** Disputes with data, and their chargebacks. */
async function disputed(dueInHours: number): Promise<{ ref: string; id: string }> {
  const order = { count: 1, status: 'needs_response', stage: 'chargeback', reason: '13.1', dueInHours }
  const { disputes } = await control('/disputes', order)
  const { ref } = disputes[0]
  const { id = '' } = (await until('the dispute is ingested', () => chargebackOf(stack, ref))) ?? {}
  expect((await stack.call('PATCH', `/chargebacks/${id}/should-fight`, { shouldFight: true })).status).toBe(201)
  // The PSP has its own e-mail address and postal code of the customer.
  const agreeing = { ...DELIVERED, transactionOrderEmail: '', transactionShippingToZipCode: 'LS1 4DY' }
  const points = { ...agreeing, shippingDate: daysAgo(60), deliveryDate: daysAgo(57) }
  expect((await stack.call('PATCH', `/chargebacks/${id}`, points)).status).toBe(201)
  return { ref, id }
}

test('through all processes: evidence builds itself, is approved by its file, or submitted by the policy', async () => {
  await stack.connectStripe({ externalIdentifier: stripeSimulator.profile.homeAccount })
  await changeSettings(stack.db, stack.accountId, { automaticSubmission: { mode: 'auto' } })
  const [approved, automatic] = await Promise.all([disputed(200), disputed(47)])
  const built = await until(
    'the package is built',
    async () => {
      const { status, body } = await draft(approved.id)
      return status === 200 && body
    },
    PATIENT,
  )
  expect([built.state, built.warnings]).toEqual(['current', []])
  expect(built).toMatchObject({ play: 'not_received', automatic: { policy: 'auto', blockedBy: [] } })
  const submitted = await stack.call('POST', `/chargebacks/${approved.id}/evidence/submit`, { fileId: built.fileId })
  expect(submitted.status).toBe(201)
  expect(await submissionEnd(stack, approved.id, submitted.body.id)).toMatchObject({ status: 'succeeded' })

  const command = await until(
    'the other is submitted by the policy',
    () =>
      stack.db
        .selectFrom('command')
        .selectAll()
        .where('chargeback_id', '=', automatic.id)
        .where('credential_id', 'is', null)
        .executeTakeFirst(),
    PATIENT,
  )
  expect(await submissionEnd(stack, automatic.id, command?.command_id ?? '')).toMatchObject({ status: 'succeeded' })
  for (const { ref } of [approved, automatic])
    expect((await control(`/effects?ref=${ref}&kind=submission`)).effects).toHaveLength(1)
}, 300_000)
