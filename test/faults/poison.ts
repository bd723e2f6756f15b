import { stripeSimulator } from '../../simulators/stripe/index.ts'
import { openPollingFixture } from '../integration/workflows/polling-fixture.ts'
import type { SuiteOptions } from './report/suite-options.ts'
import type { SuiteOutcome } from './report/suite-outcome.ts'

/** Number of disputes, including the malformed one. */
const OBJECTS = { whole: 2_000, reduced: 200 }

interface Poison {
  title: string
  /** Body of the request that creates the malformed dispute in the Stripe simulator. */
  order: Record<string, unknown>
  /** Levels of nested arrays in it. */
  depth?: number
  /** It can be stored: then all disputes are. */
  harmless?: true
  /** Not covered by the test of polling. */
  rare?: true
  /** It has the id of another dispute: the two are stored as one. */
  twin?: true
}

const KINDS: Record<string, Poison> = {
  nul_character: { title: 'a NUL character in a text', order: { malformed: 'nul_character' } },
  amount_text: { title: 'an amount that is text', order: { malformed: 'amount_text' } },
  amount_huge: { title: 'an amount of 1e30', order: { malformed: 'amount_huge' } },
  lone_surrogate: { title: 'a lone surrogate', order: { malformed: 'lone_surrogate' } },
  id_null: { title: 'no id', order: { malformed: 'id_null' } },
  amount_missing: { title: 'no amount', order: { malformed: 'amount_missing' } },
  status_missing: { title: 'no status', order: { malformed: 'status_missing' } },
  status_unknown: { title: 'an unknown status', order: { malformed: 'status_unknown' }, harmless: true },
  amount_float: { title: 'a fraction of a minor unit', order: { malformed: 'amount_float' } },
  currency_unknown: { title: 'a currency that does not exist', order: { malformed: 'currency_unknown' } },
  date_out_of_range: { title: 'a date beyond the range of Postgres', order: { fields: { created: 1e17 } }, rare: true },
  object_missing: { title: 'a required object is missing', order: { fields: { evidence_details: null } }, rare: true },
  not_an_object: { title: 'a string instead of an object', order: { malformed: 'not_an_object' } },
  same_id: {
    title: 'the id of another dispute, with different content',
    order: { fields: { id: '@' } },
    twin: true,
    rare: true,
  },
  two_megabytes: {
    title: 'an object of 2 MB',
    order: { fields: { metadata: { note: 'x'.repeat(2_000_000) } } },
    harmless: true,
    rare: true,
  },
  deeply_nested: { title: 'an object nested 1,000 levels deep', order: {}, depth: 1_000, harmless: true, rare: true },
}

/** Each kind alone: the other disputes are stored, the malformed one is quarantined with its reason and bytes. */
export async function poisonOnce({ cell, reduced, polling, print }: SuiteOptions): Promise<SuiteOutcome[]> {
  const outcomes: SuiteOutcome[] = []
  const count = reduced ? OBJECTS.reduced : OBJECTS.whole
  const wanted = Object.entries(KINDS).filter(([key, { rare }]) => (cell ? key === cell : !reduced || rare))
  for (const [name, poison] of wanted) {
    const began = Date.now()
    const why = await pollWith(poison, count, polling === 'dispatch')
    outcomes.push({ name, title: poison.title, result: why.length > 0 ? 'failed' : 'passed', why })
    print?.(
      `  ${name}: ${why.join('; ') || `${count} objects, the malformed one quarantined`}, ${Date.now() - began} ms`,
    )
  }
  return outcomes
}

async function pollWith(poison: Poison, count: number, dispatched: boolean): Promise<string[]> {
  await using workshop = await openPollingFixture({ dispatched })
  const { db } = workshop
  const order = (body: object) => workshop.control('POST', '/disputes', body)
  const half = Math.floor(count / 2)
  const valid = await order({ count: half, ageDays: 0.02 })
  const [first] = valid.disputes
  const malformed = await order(
    poison.depth ? await deep(workshop, first.ref, poison.depth) : likeOf(poison.order, first.ref),
  )
  if (malformed.error) return [`it could not be created: ${malformed.error}`]
  await order({ count: count - half - 1, ageDays: 0.005 })
  const shop = await workshop.merchantOf(stripeSimulator.profile.homeAccount)
  for (let polls = 0; polls < 3; polls++) await shop.poll()

  const stored = await db.selectFrom('chargeback').select('chargeback_id').execute()
  const quarantined = await db.selectFrom('quarantine').select(['reason', 'sealed']).execute()
  const why: string[] = []
  const expected = poison.harmless && quarantined.length === 0 ? count : count - 1
  if (stored.length !== expected) why.push(`I1: ${stored.length} stored of ${count}, not ${expected}`)
  if (poison.twin) return why
  if (stored.length + quarantined.length !== count) why.push(`I13: ${quarantined.length} quarantined`)
  if (quarantined.some((one) => !one.reason || !one.sealed)) why.push('I13: quarantined without reason or bytes')
  return why
}

/** The request, with the id of another dispute in place of `@`. */
const likeOf = (order: Record<string, unknown>, reference: string): object =>
  JSON.parse(JSON.stringify({ count: 1, ageDays: 0.01, ...order }).replace('"@"', JSON.stringify(reference)))

/** As raw text: no JSON writer nests this deep. */
async function deep({ control }: Awaited<ReturnType<typeof openPollingFixture>>, reference: string, depth: number) {
  const { object } = await control('GET', `/disputes/${reference}`)
  const text = JSON.stringify({ ...object, id: `${reference}deep`, metadata: '@' })
  return { rawText: text.replace('"@"', `${'['.repeat(depth)}${']'.repeat(depth)}`) }
}
