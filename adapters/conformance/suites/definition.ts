import assert from 'node:assert/strict'
import { PspError } from '../../errors.ts'
import type { Bench } from '../bench.ts'
import { secretOf } from '../bench.ts'
import { must, type Suite } from '../check.ts'

/** The definition describes the adapter correctly and completely. */
export const definitionSuite: Suite = {
  name: 'definition',
  checks: [
    { name: 'secret fields are marked and named by the schema', run: secretFields },
    { name: 'unknown keys of the secret payload are kept', run: unknownKeys },
    { name: 'capabilities and methods agree, both ways', run: capabilities },
    { name: 'methods come in the order of the contract', run: order },
    { name: 'limits are present', run: limits },
    { name: 'only the given base address is called', run: hosts },
    { name: 'the first cursor passes through storage', run: firstCursor },
    { name: 'version and address variable are given', run: names },
  ],
}

async function secretFields({ subject }: Bench) {
  const types = Object.entries(subject.definition.secrets)
  must(types.length > 0, 'no secret type')
  const { secretType, secretPayload } = subject.simulator
  must(subject.definition.secrets[secretType], `the simulator's ${secretType} is not taken`)
  for (const [type, { schema, secretFields: fields, notificationFields }] of types) {
    must(fields.length > 0, `${type} marks no field as secret`)
    const verified = subject.definition.capabilities.notifications !== false
    must(verified === notificationFields.length > 0, `${type} names what verifies notifications where there are some`)
    assert.equal(schema.safeParse({}).success, false, `${type} takes an empty payload`)
  }
  const marked = subject.definition.secrets[secretType]?.secretFields ?? []
  must(
    Object.keys(secretPayload).some((field) => marked.includes(field)),
    'no field of the payload is marked as secret',
  )
}

async function unknownKeys({ subject }: Bench) {
  const secret = secretOf(subject, { ...subject.simulator.secretPayload, ownNote: 'kept' }) as Record<string, unknown>
  assert.equal(secret.ownNote, 'kept')
}

async function capabilities(bench: Bench) {
  const { definition } = bench.subject
  const adapter = bench.connect()
  const { listing, enrich, accept, contest, notifications } = definition.capabilities
  const pairs: [string, boolean, unknown][] = [
    ['fetchContext', enrich, adapter.fetchContext],
    ['toTransaction', enrich, definition.toTransaction],
    ['acceptDispute', accept !== false, adapter.acceptDispute],
    ['probe', accept !== false || contest !== false, adapter.probe],
    ['describeEvidence', contest !== false, adapter.describeEvidence],
    ['planSubmission', contest !== false, definition.planSubmission],
    ['submitEvidence', contest !== false, adapter.submitEvidence],
    ['uploadFile', contest !== false && contest.filesApi, adapter.uploadFile],
    ['stageEvidence', contest !== false && contest.mode === 'staged', adapter.stageEvidence],
    ['checkAnswerable', listing === 'inbox', adapter.checkAnswerable],
    ['verifyNotification', notifications !== false, adapter.verifyNotification],
    ['readNotification', notifications !== false, adapter.readNotification],
    ['hasDeliveryHeaders', notifications !== false, definition.hasDeliveryHeaders],
    ['evidence', contest !== false, definition.evidence ?? undefined],
  ]
  for (const [name, declared, present] of pairs) {
    assert.equal(
      present !== undefined,
      declared,
      `${name} is ${declared ? 'declared but missing' : 'there undeclared'}`,
    )
  }
}

const ORDER = [
  'checkCredentials',
  'confirmAccount',
  'listDisputes',
  'fetchDispute',
  'fetchContext',
  'acceptDispute',
  'describeEvidence',
  'uploadFile',
  'stageEvidence',
  'submitEvidence',
  'probe',
  'verifyNotification',
  'readNotification',
]

/** All adapters have the same structure. */
async function order(bench: Bench) {
  const methods = Object.keys(bench.connect()).filter((name) => ORDER.includes(name))
  assert.deepEqual(
    methods,
    ORDER.filter((name) => methods.includes(name)),
  )
}

async function limits({ subject }: Bench) {
  const { requestsPerSecond, burst, pageSize, timeoutMs, idempotencyKeyLength } = subject.definition.limits
  for (const limit of [requestsPerSecond, burst, pageSize, timeoutMs]) must(limit > 0, 'a limit is missing')
  must(timeoutMs <= 30_000, 'a call may not outlast an activity of 60 s with its probe')
  must(idempotencyKeyLength >= 0, 'no key has a negative length')
  must(subject.definition.capabilities.maxLookbackDays > 0, 'no look-back')
  const { evidence } = subject.definition
  if (!evidence) return
  must(evidence.fileTypes.length > 0 && evidence.maxFileBytes > 0 && evidence.maxFiles > 0, 'evidence takes no file')
  must(
    Object.values(evidence.textFields).every((length) => length > 0),
    'a text of no length',
  )
}

async function hosts(bench: Bench) {
  await bench.create({ count: 3 })
  const adapter = bench.connect()
  await adapter.checkCredentials()
  const { items } = await adapter.listDisputes({
    cursor: bench.subject.definition.cursor.initial(bench.now()),
    oldestOpen: null,
  })
  for (const item of items) await adapter.fetchContext?.(item)
  must(bench.requested.length > 0, 'nothing was called')
  for (const address of bench.requested) must(address.startsWith(`${bench.running.url}/`), `called ${address}`)
}

async function firstCursor({ subject, now }: Bench) {
  const { cursor } = subject.definition
  const first = cursor.initial(now())
  const stored: unknown = JSON.parse(JSON.stringify(first))
  assert.deepEqual(cursor.schema.parse(stored), first)
  assert.deepEqual(cursor.migrate({ version: cursor.version, value: stored }), first)
}

async function names({ subject }: Bench) {
  const { apiVersion, baseUrlVariable, displayName, source, translationVersion } = subject.definition
  must(apiVersion !== '' && displayName !== '', 'version or name is missing')
  assert.match(baseUrlVariable, /^[A-Z]+_API_URL$/)
  const { simulator } = subject
  assert.deepEqual([simulator.source, simulator.baseUrlVariable], [source, baseUrlVariable])
  must(Number.isInteger(translationVersion) && translationVersion > 0, 'versions count from 1')
  assert.throws(
    () => subject.definition.checkConfiguration({ secret: malformed(subject), externalIdentifier: 'x' }),
    PspError,
  )
}

function malformed(subject: Bench['subject']): unknown {
  return secretOf(subject, subject.malformedSecrets[0])
}
