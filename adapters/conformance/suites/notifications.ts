import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Adapter, NotificationRequest } from '../../contract.ts'
import { type Bench, refusal, secretOf } from '../bench.ts'
import { must, type Suite, skip } from '../check.ts'

/** Genuine notifications are accepted, and only as a hint to read again. */
export const notificationsSuite: Suite = {
  name: 'notifications',
  checks: [
    { name: 'a valid signature names the dispute', run: good },
    { name: 'a bad signature is refused', run: (bench) => refusedWhen(bench, { mutate: 'forged' }) },
    { name: 'an old signature is refused', run: (bench) => refusedWhen(bench, { mutate: 'stale' }) },
    { name: 'a changed body is refused', run: changedBody },
    { name: 'no signature, no body and no secret are refused', run: missing },
    { name: 'a replay carries the same id', run: replayed },
    { name: 'reordered deliveries name the same disputes', run: reordered },
    { name: "another account's notification is refused", run: foreign },
    { name: 'an account that is handed out has its own signed with its own keys', run: handedOut },
    { name: 'of 500 mutations none is believed', run: mutations },
  ],
}

function listening(bench: Bench) {
  if (bench.subject.definition.capabilities.notifications === false) skip('this PSP sends no notifications')
  const adapter = bench.connect() as Required<Adapter>
  const verify = async (request: NotificationRequest) => adapter.verifyNotification(request)
  return { adapter, verify }
}

/** Lets the simulator deliver to a test receiver. */
async function deliveries(bench: Bench, order: Record<string, unknown>): Promise<NotificationRequest[]> {
  const received: NotificationRequest[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
    received.push({ body: Buffer.concat(chunks).toString('utf8'), headers: Object.fromEntries(headers) })
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    await bench.control('POST', '/notifications', { url, ...order })
  } finally {
    await new Promise((resolve) => server.close(resolve))
  }
  must(received.length > 0, 'nothing was delivered')
  return received
}

async function good(bench: Bench) {
  const { adapter, verify } = listening(bench)
  const [reference = ''] = await bench.create({ count: 1 })
  const [request] = await deliveries(bench, { ref: reference })
  const { hasDeliveryHeaders } = bench.subject.definition
  must(hasDeliveryHeaders?.(request?.headers ?? {}, new Date()), 'its headers are refused before its body is read')
  must(!hasDeliveryHeaders?.({}, new Date()), 'a request without any header passes for a delivery')
  const envelope = await verify(request as NotificationRequest)
  must(envelope.id !== '' && envelope.type !== '', 'no id or no type')
  const { references } = adapter.readNotification(envelope)
  assert.deepEqual(disputesAmong(bench, references), [reference])
}

/** An inbox also indexes notifications by payment; elsewhere a reference is a dispute. */
function disputesAmong(bench: Bench, references: string[]): string[] {
  if (bench.subject.definition.capabilities.listing !== 'inbox') return references
  return references.filter((reference) => bench.running.engine.find(reference) !== undefined)
}

async function refusedWhen(bench: Bench, order: Record<string, unknown>) {
  const { verify } = listening(bench)
  const [reference] = await bench.create({ count: 1 })
  const [request] = await deliveries(bench, { ref: reference, ...order })
  assert.equal((await refusal(verify(request as NotificationRequest))).kind, 'invalid_request')
}

async function changedBody(bench: Bench) {
  const { verify } = listening(bench)
  const [reference = ''] = await bench.create({ count: 1 })
  const [request] = (await deliveries(bench, { ref: reference })) as [NotificationRequest]
  const { body } = request
  const middle = body.length >> 1
  // In an encoded body the dispute can't be located: change any character.
  const changed = body.includes(reference)
    ? body.replaceAll(reference, `${reference.slice(0, -1)}X`)
    : body.slice(0, middle) + (body[middle] === 'x' ? 'y' : 'x') + body.slice(middle + 1)
  assert.equal((await refusal(verify({ ...request, body: changed }))).kind, 'invalid_request')
}

async function missing(bench: Bench) {
  const { verify } = listening(bench)
  const [request] = (await deliveries(bench, { ref: (await bench.create({ count: 1 }))[0] })) as [NotificationRequest]
  await refusal(verify({ ...request, headers: {} }))
  await refusal(verify({ ...request, body: '' }))
  // Signed with the credential itself, which is always present.
  const { notificationSecret } = bench.subject
  if (notificationSecret === null) return
  const { secretType, secretPayload } = bench.subject.simulator
  const { [notificationSecret]: _, ...unequipped } = secretPayload
  const secret = bench.subject.definition.secrets[secretType]?.schema.parse(unequipped)
  const unsigned = bench.connect({ secret }) as Required<Adapter>
  assert.equal((await refusal((async () => unsigned.verifyNotification(request))())).kind, 'config_invalid')
}

async function replayed(bench: Bench) {
  const { verify } = listening(bench)
  const [reference] = await bench.create({ count: 1 })
  const requests = await deliveries(bench, { ref: reference, mutate: 'replayed', count: 5 })
  const ids = await Promise.all(requests.map(async (request) => (await verify(request)).id))
  assert.equal(new Set(ids).size, 1)
}

async function reordered(bench: Bench) {
  const { adapter, verify } = listening(bench)
  const references = await bench.create({ count: 4 })
  const requests = await deliveries(bench, { mutate: 'reordered', count: 20 })
  const named = new Set<string>()
  for (const request of requests) {
    for (const reference of adapter.readNotification(await verify(request)).references) named.add(reference)
  }
  assert.deepEqual(disputesAmong(bench, [...named]).sort(), references.sort())
}

async function foreign(bench: Bench) {
  const { verify } = listening(bench)
  const account = bench.subject.simulator.externalIdentifier
  const [reference] = await bench.create({ count: 1, account })
  const [request] = (await deliveries(bench, { ref: reference, account })) as [NotificationRequest]
  assert.equal((await refusal(verify(request))).kind, 'invalid_request')
}

/** The data that clients need to connect must match what the simulator sends. */
async function handedOut(bench: Bench) {
  listening(bench)
  const { externalIdentifier: account, secretPayload } = bench.subject.simulator
  const [reference = ''] = await bench.create({ count: 1, account })
  const [request] = (await deliveries(bench, { ref: reference, account })) as [NotificationRequest]
  const connected = { secret: secretOf(bench.subject, secretPayload), externalIdentifier: account, pspAccount: account }
  const adapter = bench.connect(connected) as Required<Adapter>
  const { references } = adapter.readNotification(await adapter.verifyNotification(request))
  must(references.includes(reference), `it names ${references}`)
}

async function mutations(bench: Bench) {
  const { verify } = listening(bench)
  const [request] = (await deliveries(bench, { ref: (await bench.create({ count: 1 }))[0] })) as [NotificationRequest]
  const { body } = request
  for (let index = 0; index < 500; index++) {
    const at = Math.floor((index * body.length) / 500)
    const other = body[at] === 'x' ? 'y' : 'x'
    await refusal(verify({ ...request, body: body.slice(0, at) + other + body.slice(at + 1) }))
  }
}
