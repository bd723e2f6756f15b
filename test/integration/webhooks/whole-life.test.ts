import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pythonWebhooks } from '../../harness/deploy/generators.ts'
import { chargebackOf, createDispute, pollNow, upload } from '../../harness/rows.ts'
import { samplePdf } from '../../harness/sample-files.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import { type Receiver, receive } from './receivers.ts'

interface Event {
  id: string
  type: string
  sequence: string
  quiet?: boolean
  data: { chargeback?: { chargebackId: string; pspStatus: string } }
}

let stack: Stack
let receiver: Receiver
let secret: string
/** Of a consumer that is down during the whole life: nothing listens at its address. */
let down: { cursor: string }
beforeAll(async () => {
  stack = await startStack()
  receiver = await receive()
  secret = (await stack.call('POST', '/webhook-endpoints', { url: receiver.url, events: ['*'] })).body.secret
  const gone = await receive()
  await gone[Symbol.asyncDispose]()
  await stack.call('POST', '/webhook-endpoints', { url: gone.url, events: ['*'] })
  down = { cursor: (await stack.call('GET', '/events?after=latest')).body.nextCursor }
  await live()
}, 240_000)
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
  await stack[Symbol.asyncDispose]()
})

const received = () => receiver.captured.map(({ body }) => JSON.parse(body) as Event)
const arrived = (type: string) =>
  until(`${type} arrives`, () => received().find((one) => one.type === type), { timeoutMs: 60_000 })

/** One dispute, from its ingestion to its end: evidence is submitted, and the bank decides for the merchant. */
async function live(): Promise<void> {
  const integrationId = await stack.connectStripe()
  await arrived('integration.first_load_completed')
  const ref = await createDispute(stack, { stage: 'chargeback', dueInHours: 200 })
  await pollNow(stack, integrationId)
  const { id } = await chargebackOf(stack, ref)
  await arrived('chargeback.created')
  const fileId = await upload(stack, samplePdf())
  const submitted = await stack.call('POST', `/chargebacks/${id}/evidence/submit`, { fileId })
  expect(submitted.status).toBe(201)
  await arrived('evidence_submission.succeeded')
  await stack.control('POST', `/disputes/${ref}/decide`, { outcome: 'won' })
  await pollNow(stack, integrationId)
  const won = await arrived('chargeback.won')
  expect(won?.data.chargeback).toMatchObject({ chargebackId: ref, pspStatus: 'won' })
}

test('the official library of JavaScript verifies every request of a life from ingestion to won', () => {
  expect(receiver.captured.length).toBeGreaterThan(5)
  for (const { body, headers } of receiver.captured)
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body))
  expect(new Set(received().map(({ type }) => type))).toEqual(
    new Set([
      ...['integration.verified', 'integration.first_load_completed', 'chargeback.created', 'chargeback.updated'],
      ...[
        'evidence_submission.created',
        'evidence_submission.updated',
        'evidence_submission.succeeded',
        'chargeback.won',
      ],
    ]),
  )
})

const python = await pythonWebhooks()
if ('missing' in python) console.warn(`SKIPPED: Python's library verifies no life. ${python.missing}`)

test.skipIf('missing' in python)('and so does that of Python', () => {
  const requests = receiver.captured.map(({ headers, body }) => ({ headers, body, secrets: [secret] }))
  const program = join('folder' in python ? python.folder : '', 'bin', 'python')
  const { stdout, stderr } = spawnSync(program, ['test/integration/webhooks/verify.py'], {
    input: JSON.stringify(requests),
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(JSON.parse(stdout)).toEqual({ verified: requests.length, refused: requests.length })
})

test('a consumer that was down meanwhile reads the same events from its cursor on, an hour later', async () => {
  // The hour: nothing that the log keeps may depend on when it is read.
  await sql`update event set occurred_at = occurred_at - interval '1 hour'`.execute(stack.db)
  const read: Event[] = []
  for (let [after, hasMore] = [down.cursor, true]; hasMore; ) {
    const { body } = await stack.call('GET', `/events?after=${after}&limit=10`)
    read.push(...body.data)
    ;({ hasMore, nextCursor: after } = body)
  }
  const pushed = new Map(received().map((one) => [one.id, one]))
  const quiet = read.filter((one) => one.quiet)
  expect(
    read
      .filter((one) => !quiet.includes(one))
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual([...pushed.keys()].toSorted())
  for (const one of read) expect(pushed.get(one.id)?.sequence ?? one.sequence).toBe(one.sequence)
  const order = read.map(({ sequence }) => BigInt(sequence))
  expect(order).toEqual(order.toSorted((a, b) => (a < b ? -1 : 1)))
  // The highest sequence wins: the state that it ends with is that of the last event.
  const last = read.findLast(({ data }) => data.chargeback)
  expect(last?.data.chargeback?.pspStatus).toBe('won')
})
