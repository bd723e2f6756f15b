import assert from 'node:assert/strict'
import { gatherFacts } from '../../../domain/evidence/gather-facts.ts'
import { CURRENCIES, currencyExponent } from '../../../domain/money.ts'
import type { JsonObject } from '../../../simulators/engine/contract.ts'
import { PROVEN_POINTS } from '../../shared/check-results.ts'
import type { Bench } from '../bench.ts'
import { must, type Suite } from '../check.ts'

/** Every value that the PSP documents has a translation; a value that it adds later is kept and stops nothing. */
export const mappingSuite: Suite = {
  name: 'mapping',
  checks: [
    { name: 'every documented status in every stage', run: situations },
    { name: 'every documented reason', run: reasons },
    { name: 'every currency, with the digits this PSP counts', run: currencies },
    { name: "the disputed amount, not the charge's", run: disputedAmount },
    { name: 'an unknown status survives with an anomaly', run: unknownStatus },
    { name: 'no due date is null, never a date', run: noDueDate },
    { name: 'enrichment gives the transaction of the dispute', run: enrichment },
    { name: 'the same text gives the same facts', run: pure },
  ],
}

function translate(bench: Bench, object: JsonObject) {
  const translation = bench.subject.definition.toChargeback({ reference: null, text: JSON.stringify(object) })
  if (translation.kind === 'unmappable') throw new Error(`unmappable: ${translation.reason}`)
  return translation
}

async function oneObject(bench: Bench, order: Record<string, unknown> = {}) {
  const [reference = ''] = await bench.create({ count: 1, ...order })
  return bench.objectOf(reference)
}

async function situations(bench: Bench) {
  const { situations: known } = bench.subject.simulator.profile
  for (const { word, status, stage } of known) {
    const references = await bench.create({ count: 4, status: word, stage })
    const seen = references.map((reference) => translate(bench, bench.objectOf(reference)).facts)
    // One value may stand for two statuses (lost, or lost because nothing was sent); each must be documented.
    const allowed = known.filter((other) => other.word === word && other.stage === stage).map((other) => other.status)
    for (const facts of seen) {
      must(allowed.includes(facts.pspStatus), `${word} became ${facts.pspStatus}`)
      assert.equal(facts.lifecycleStage, stage, `${word} is in stage ${facts.lifecycleStage}`)
    }
    must(seen.some((facts) => facts.pspStatus === status) || allowed.length > 1, `${word} never became ${status}`)
  }
}

async function reasons(bench: Bench) {
  for (const { code, word, scheme } of bench.subject.simulator.profile.reasons) {
    const { facts } = translate(bench, await oneObject(bench, { reason: code ?? word }))
    must(facts.reasonCode !== null, `${code ?? word} has no reason code`)
    if (code !== null) assert.equal(facts.reasonCode, code)
    if (scheme !== null && code !== null) assert.equal(facts.cardScheme, scheme)
  }
}

async function currencies(bench: Bench) {
  const { profile } = bench.subject.simulator
  const object = await oneObject(bench)
  for (const currency of CURRENCIES) {
    const digits = bench.subject.currencyDigits[currency] ?? currencyExponent(currency)
    profile.setAmount(object, 120, currency)
    const { facts } = translate(bench, object)
    assert.deepEqual(
      [facts.currency, facts.amountMinor, facts.amountExponent],
      [currency, 120n, digits],
      `${currency} is counted wrong`,
    )
  }
}

async function disputedAmount(bench: Bench) {
  const { engine } = bench.running
  await bench.create({ count: 60 })
  const partial = engine
    .account(bench.account)
    .disputes.all()
    .find((record) => record.plan !== null && record.plan.amount !== record.plan.chargeAmount)
  must(partial?.plan, 'the simulator made no partial dispute')
  const raw = await bench.connect().fetchDispute(partial.reference)
  const { facts } = translate(bench, JSON.parse(raw.text))
  assert.equal(facts.amountMinor, BigInt(partial.plan.amount))
}

async function unknownStatus(bench: Bench) {
  const object = await oneObject(bench)
  bench.subject.simulator.profile.setStatus(object, 'a_status_of_next_year')
  const { facts, anomalies } = translate(bench, object)
  assert.equal(facts.pspStatus, 'unknown')
  must(anomalies.length > 0, 'no anomaly')
}

async function noDueDate(bench: Bench) {
  const object = await oneObject(bench, { status: 'needs_response', dueInHours: null })
  assert.equal(translate(bench, object).facts.dueDate, null)
}

async function enrichment(bench: Bench) {
  const { definition } = bench.subject
  const [reference = ''] = await bench.create({
    count: 1,
    status: 'needs_response',
    stage: 'chargeback',
    reason: '10.4',
  })
  const adapter = bench.connect()
  const dispute = await adapter.fetchDispute(reference)
  const context = (await adapter.fetchContext?.(dispute)) ?? null
  must(context, 'nothing to enrich with')
  const transaction = definition.toTransaction?.(context)
  const { facts } = translate(bench, JSON.parse(dispute.text))
  assert.equal(transaction?.transactionId, facts.transactionId)
  must(transaction?.transactionCreatedDate, 'the transaction has no date')
  must(
    Object.keys(transaction?.dataPoints ?? {}).every(isKnownPoint),
    'a data point that neither operation 1 nor the list of proven ones has',
  )
  const points = { source: 'psp', points: transaction?.dataPoints ?? {}, at: null } as const
  const { warnings } = gatherFacts([points], FAR)
  must(warnings.length === 0, `evidence can't use ${warnings.map(({ message }) => message).join(' ')}`)
}

/** No date of a simulated PSP is later. */
const FAR = new Date('2100-01-01T00:00:00Z')

const isKnownPoint = (name: string) => name.startsWith('transaction') || PROVEN_POINTS.some((proven) => proven === name)

async function pure(bench: Bench) {
  const object = await oneObject(bench)
  assert.deepEqual(translate(bench, object), translate(bench, object))
}
