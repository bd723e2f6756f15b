import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { MALFORMED_KINDS } from '../../../simulators/engine/control/bodies.ts'
import { FAULT_KINDS } from '../../../simulators/engine/faults.ts'
import type { Adapter } from '../../contract.ts'
import { type Bench, impatient, readOverHttp, refusal, secretOf, writesOf } from '../bench.ts'
import { must, type Suite } from '../check.ts'
import { emptyStore, ingest } from '../store.ts'

const PERSON = 'jenny.planted@example.com'
const PAN = '4000056655665556'

/** No secret, card number or personal data leaves an adapter. */
export const scrubbingSuite: Suite = {
  name: 'scrubbing',
  checks: [
    { name: 'errors of reads under every fault', run: (bench) => errors(bench, 'read') },
    { name: 'errors of writes under every fault', run: (bench) => errors(bench, 'write') },
    { name: 'errors of refused credentials', run: refusals },
    { name: 'reasons of quarantined objects', run: quarantine },
    { name: 'addresses of the calls', run: addresses },
    { name: 'nothing is printed', run: silence },
  ],
}

function secretsOf(bench: Bench): string[] {
  const { secretFields } = bench.subject.definition.secrets[bench.subject.simulator.secretType] ?? { secretFields: [] }
  const secret = secretOf(bench.subject) as Record<string, unknown>
  return secretFields.flatMap((field) => (typeof secret[field] === 'string' ? [secret[field]] : []))
}

function assertClean(bench: Bench, shown: string) {
  const planted = [...secretsOf(bench), PERSON, PAN]
  for (const value of planted) must(!shown.includes(value), 'a planted value came out')
  must(!/Bearer |whsec_|sk_test_|sk_live_/.test(shown), 'something like a secret came out')
}

async function planted(bench: Bench): Promise<string> {
  const [reference = ''] = await bench.create({ count: 1, status: 'needs_response', stage: 'chargeback' })
  const object = bench.objectOf(reference)
  bench.subject.plantPerson(object, `${PERSON} ${PAN}`)
  await bench.control('PATCH', `/disputes/${reference}`, { fields: object })
  return reference
}

async function errors(bench: Bench, what: 'read' | 'write') {
  const adapter = bench.connect({ fetch: impatient(250) }) as Required<Adapter>
  let failures = 0
  for (const kind of FAULT_KINDS) {
    const reference = await planted(bench)
    const inbox = bench.subject.definition.capabilities.listing === 'inbox'
    const match = what === 'read' && !inbox ? { method: 'GET' } : writesOf(bench.subject)
    await bench.control('POST', '/faults', { kind, count: 5, match, delayMs: 600 })
    const work =
      what === 'read'
        ? inbox
          ? readOverHttp(bench, adapter)
          : adapter.fetchDispute(reference)
        : adapter.acceptDispute({ reference, idempotencyKey: `accept:${kind}` })
    const thrown: unknown = await work.then(
      () => null,
      (error: unknown) => error,
    )
    await bench.control('DELETE', '/faults')
    if (thrown === null) continue
    failures++
    const { message, stack } = thrown as Error
    assertClean(bench, `${message}\n${stack}\n${inspect(thrown, { depth: 10 })}\n${JSON.stringify(thrown)}`)
  }
  must(failures >= 10, `only ${failures} faults showed`)
}

async function refusals(bench: Bench) {
  const { simulator, malformedSecrets } = bench.subject
  for (const payload of [simulator.refusedSecretPayload, simulator.restrictedSecretPayload, ...malformedSecrets]) {
    const error = await refusal(
      (async () => bench.connect({ secret: secretOf(bench.subject, payload) }).checkCredentials())(),
    )
    const shown = `${error.stack} ${inspect(error, { depth: 10 })} ${JSON.stringify(error)}`
    for (const value of Object.values(payload)) must(!shown.includes(value), 'the credential came out')
    assertClean(bench, shown)
  }
}

async function quarantine(bench: Bench) {
  const { definition } = bench.subject
  for (const malformed of MALFORMED_KINDS) await bench.create({ count: 1, malformed })
  const store = emptyStore(definition, bench.now())
  await ingest(definition, bench.connect(), store)
  for (const { reason } of store.quarantine.values()) {
    assertClean(bench, reason)
    must(reason.length < 200, 'a reason of such length repeats data')
  }
  for (const { anomalies } of store.rows.values()) assertClean(bench, anomalies.join(' '))
}

async function addresses(bench: Bench) {
  const reference = await planted(bench)
  const adapter = bench.connect() as Required<Adapter>
  const raw = await adapter.fetchDispute(reference)
  await adapter.fetchContext?.(raw)
  await adapter.checkCredentials()
  await adapter.acceptDispute?.({ reference, idempotencyKey: 'k' })
  const { calls } = bench.running.engine.ledger
  assertClean(bench, `${bench.requested.join('\n')}\n${calls.map((call) => `${call.path}?${call.query}`).join('\n')}`)
}

async function silence(bench: Bench) {
  const printed: string[] = []
  const streams = [process.stdout, process.stderr]
  const originals = streams.map((stream) => stream.write)
  for (const stream of streams) {
    stream.write = ((chunk: unknown) => {
      printed.push(String(chunk))
      return true
    }) as typeof stream.write
  }
  try {
    const reference = await planted(bench)
    const adapter = bench.connect() as Required<Adapter>
    await adapter.checkCredentials()
    const raw = await adapter.fetchDispute(reference)
    await adapter.fetchContext?.(raw)
    await bench.control('POST', '/faults', { kind: '500', count: 1 })
    await adapter.fetchDispute(reference).catch(() => undefined)
  } finally {
    for (const [index, stream] of streams.entries()) {
      const original = originals[index]
      if (original) stream.write = original
    }
  }
  assert.deepEqual(printed, [])
}
