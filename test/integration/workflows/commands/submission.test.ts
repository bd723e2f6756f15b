import { createHash } from 'node:crypto'
import { PDFDocument } from '@cantoo/pdf-lib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adyenSimulator } from '../../../../simulators/adyen/index.ts'
import { braintreeSimulator } from '../../../../simulators/braintree/index.ts'
import type { SimulatorDefinition } from '../../../../simulators/engine/definition.ts'
import { paypalSimulator } from '../../../../simulators/paypal/index.ts'
import { sandboxSimulator } from '../../../../simulators/sandbox/index.ts'
import { stripeSimulator } from '../../../../simulators/stripe/index.ts'
import { DUE_SOON } from '../../../../workflows/contract.ts'
import { chargebackOf, submissionEnd, upload } from '../../../harness/rows.ts'
import { runOf } from '../../../harness/runs.ts'
import { type Stack, startStack } from '../../../harness/stack.ts'
import { until } from '../../../harness/until.ts'

const PSPS = {
  PAYPAL_API_URL: paypalSimulator,
  BRAINTREE_API_URL: braintreeSimulator,
  ADYEN_API_URL: adyenSimulator,
  SANDBOX_API_URL: sandboxSimulator,
}

/** The request that submits, which is irreversible. */
const SUBMITS: Record<string, { path: string; body?: string }> = {
  stripe: { path: '/v1/disputes/*', body: 'submit=true' },
  paypal: { path: '/provide-evidence' },
  braintree: { path: '/finalize' },
  adyen: { path: '/defendDispute' },
  recoup_sandbox: { path: '/evidence' },
}

let stack: Stack
let pdf: Buffer
/** PSP → its open disputes. */
let openings: Map<string, string[]>
beforeAll(async () => {
  const [started, document] = await Promise.all([
    startStack({ psps: PSPS, env: { RECOUP_POLL_INTERVAL_SECONDS: '2' } }),
    PDFDocument.create(),
  ])
  stack = started
  document.addPage().drawText('Delivered on 5 May.')
  pdf = Buffer.from(await document.save())
  openings = new Map(await Promise.all([stripeSimulator, ...Object.values(PSPS)].map(connectPsp)))
}, 120_000)
/** The control surface of a PSP's simulator. */
function controlOf(source: string) {
  const { controlUrl } = source === 'stripe' ? stack.simulator : (stack.others.get(source) ?? stack.simulator)
  return async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${controlUrl}${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: checked by the test
    return (await response.json()) as any
  }
}

/** Two open disputes at the PSP, then the connection to it. */
async function connectPsp(definition: SimulatorDefinition): Promise<[string, string[]]> {
  const { source } = definition
  const order = { count: 2, status: 'needs_response', stage: 'chargeback', reason: '10.4', dueInHours: 200 }
  const { disputes } = await controlOf(source)('POST', '/disputes', order)
  const integrationId = await stack.connectStripe({
    source,
    secretType: definition.secretType,
    secretPayload: definition.homeSecretPayload ?? definition.secretPayload,
    externalIdentifier: definition.profile.homeAccount,
  })
  const url = `${stack.apis[0]?.url}/v1/notifications/${integrationId}`
  await controlOf(source)('POST', '/subscriptions', { url, backlog: source === 'adyen' })
  return [source, disputes.map((dispute: { ref: string }) => dispute.ref)]
}

afterAll(() => stack[Symbol.asyncDispose]())

const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex')

// No retry of tests: an effect that is sometimes doubled must fail.
describe.each([stripeSimulator, ...Object.values(PSPS)])(
  '$source, from connecting to a confirmed submission',
  (definition) => {
    const { source } = definition
    const control = (method: string, path: string, body?: unknown) => controlOf(source)(method, path, body)
    const effects = async (ref: string, kind: string) =>
      (await control('GET', `/effects?ref=${ref}&kind=${kind}`)).effects
    const submit = async (id: string, fileId: string) => {
      const { status, body } = await stack.call('POST', `/chargebacks/${id}/evidence/submit`, { fileId })
      expect(status).toBe(201)
      return body.id as string
    }
    const refs = () => openings.get(source) as string[]

    test('evidence is sent once, byte for byte, and shown everywhere', async () => {
      const [ref = ''] = refs()
      const { id = '' } = await chargebackOf(stack, ref)
      const fileId = await upload(stack, pdf)
      const planned = await stack.call('POST', `/chargebacks/${id}/evidence/plan`, { fileId })
      expect(planned).toMatchObject({ status: 200, body: { data: { submittable: true } } })
      const submission = await submit(id, fileId)
      expect(await submissionEnd(stack, id, submission)).toMatchObject({
        ...{ submitEvidenceId: submission, fileId, id, status: 'succeeded', referenceAccountId: stack.referenceId },
      })
      expect(await effects(ref, 'submission')).toHaveLength(1)
      const uploads = await effects(ref, 'upload')
      const stored = uploads.length > 0 ? uploads : await effects('', 'upload')
      expect(stored.map((effect: { details: { sha256: string } }) => effect.details.sha256)).toContain(sha256(pdf))
      expect(await chargebackOf(stack, ref)).toMatchObject({
        ...{ pspStatus: 'under_review', status: 'pending_psp_results' },
        winProbability: expect.any(Number),
      })
      expect(await submit(id, fileId)).toBe(submission)
      const run = await until(
        'the run has closed',
        async () => stack.temporal.workflow.getHandle(await runOf(stack.db, submission)).describe(),
        { holds: ({ status }) => status.name !== 'RUNNING' },
      )
      expect(run.status.name).toBe('COMPLETED')
      expect(run.searchAttributes).toMatchObject({
        CommandState: ['succeeded'],
        CommandId: [submission],
        Psp: [source],
      })
    })

    test('a response that is lost after the effect: read before any retry, one effect, succeeded', async () => {
      const [, ref = ''] = refs()
      const { id = '' } = await chargebackOf(stack, ref)
      await control('POST', '/faults', { kind: 'reset_after_apply', count: 1, match: SUBMITS[source] })
      const submission = await submit(id, await upload(stack, pdf))
      expect(await submissionEnd(stack, id, submission)).toMatchObject({ status: 'succeeded' })
      expect(await effects(ref, 'submission')).toHaveLength(1)
      const { calls } = await control('GET', '/calls')
      expect(calls.filter((call: { outcome: string }) => call.outcome === 'reset_after_apply')).toHaveLength(1)
    })
  },
)

test('a run with a near due date shows it while it waits, and its result afterwards', async () => {
  const control = controlOf('stripe')
  const { disputes } = await control('POST', '/disputes', { count: 1, status: 'needs_response', stage: 'chargeback' })
  const { id = '' } = await chargebackOf(stack, disputes[0].ref)
  const match = { path: `/v1/disputes/${disputes[0].ref}`, body: 'submit=true' }
  const hold = await control('POST', '/holds', { match })
  const fileId = await upload(stack, pdf)
  const submission = (await stack.call('POST', `/chargebacks/${id}/evidence/submit`, { fileId })).body.id as string
  await until('the PSP has the call', async () => (await control('GET', `/holds/${hold.id}`)).held?.length)
  const run = stack.temporal.workflow.getHandle(await runOf(stack.db, submission))
  await run.signal(DUE_SOON)
  const state = async () => (await run.describe()).searchAttributes.CommandState
  await until('the run shows it', state, { holds: (found) => String(found) === 'due_soon' })
  await control('DELETE', `/holds/${hold.id}`)
  expect(await submissionEnd(stack, id, submission)).toMatchObject({ status: 'succeeded' })
  await until('the run shows its result', state, { holds: (found) => String(found) === 'succeeded' })
})
