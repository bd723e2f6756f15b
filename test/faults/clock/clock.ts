import { sql } from 'kysely'
import { byOwner } from '../../harness/database.ts'
import { ingestedTrue } from '../invariants/ingested.ts'
import { nothingOpen } from '../invariants/leftovers.ts'
import { statusNeverReturns } from '../invariants/order.ts'
import { decide } from '../notifications/notification-fixture.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { eventsOf, insist } from '../testbed/deliveries.ts'
import { startTestbed, type Testbed } from '../testbed/prepare.ts'
import { type ClockCase, checkCase, openFixture, runCase } from './clock-fixture.ts'
import { judgeTokens } from './clock-tokens.ts'
import { findFakeTime, loudEnough, SHIFTS, setClocks, WHO, type Who } from './fake-clock.ts'

interface ClockCell {
  name: string
  who: Who
  title: string
  seconds: number
}

const cells: ClockCell[] = Object.entries(SHIFTS).flatMap(([key, { title, seconds }]) =>
  WHO.map((who) => ({ name: `${who}:${key}`, who, title, seconds })),
)

/** Clocks of worker, API or both an hour or a day off; Postgres, Temporal and the PSPs have the right time. */
export async function setClocksWrong(
  { cell, reduced, adapters, print }: SuiteOptions,
  left: (testbed: Testbed, print: SuiteOptions['print']) => Promise<SuiteOutcome[]>,
): Promise<SuiteOutcome[]> {
  const wanted = cells.filter(({ name }) => (cell ? name === cell : !reduced))
  if (cell && wanted.length === 0) throw new Error(`there is no cell ${cell}`)
  if (wanted.length === 0 || (adapters && !adapters.includes('stripe'))) return []
  const tool = findFakeTime()
  if ('missing' in tool) {
    print?.(`  skipped: ${tool.missing}`)
    return wanted.map((one) => outcomeOf(one, 'skipped', [tool.missing]))
  }
  await using testbed = await startTestbed({ disputes: { stripe: 1 } })
  await pinDueDates(testbed)
  const played: { one: ClockCell; fixture: ClockCase; why: string[] }[] = []
  for (const one of wanted) {
    const began = Date.now()
    await setClocks(testbed, tool.preload, one.who, one.seconds)
    // Before any other request: a process must use the right time for its first request, too.
    const tokens = await judgeTokens(testbed, one.seconds)
    const fixture = await openFixture(testbed, one.seconds)
    const why = [...tokens, ...(await runCell(testbed, one, fixture).catch((error) => [(error as Error).message]))]
    played.push({ one, fixture, why })
    print?.(`  ${one.name}: ${why.join('; ') || 'used the right time'}, ${Date.now() - began} ms`)
  }
  await setClocks(testbed, tool.preload, 'both', 0)
  const outcomes = await Promise.all(
    played.map(async ({ one, fixture, why }) => {
      const after = (await setRight(testbed, fixture)).map((sentence) => `after the clocks were corrected: ${sentence}`)
      for (const sentence of after) print?.(`  ${one.name}: ${sentence}`)
      const all = [...why, ...after]
      return outcomeOf(one, all.length > 0 ? 'failed' : 'passed', all)
    }),
  )
  return [...outcomes, ...(await left(testbed, print))]
}

async function runCell(testbed: Testbed, { who, seconds }: ClockCell, fixture: ClockCase): Promise<string[]> {
  return [
    ...(await runCase(testbed, fixture)),
    ...(await loudEnough(testbed, who, seconds)),
    ...(await checkCase(testbed, fixture)),
    ...(await nothingOpen(testbed, [fixture.connected.integrationId])).map(({ sentence }) => `I14: ${sentence}`),
  ]
}

/** Data read under a wrong clock is neither newer nor older than data that is read afterwards. */
async function setRight(testbed: Testbed, { connected, disputes }: ClockCase): Promise<string[]> {
  const { spare } = disputes
  decide({ testbed, connected, disputes: [], reduced: false }, spare.record, 'lost')
  const refused = await insist(testbed, connected, eventsOf(testbed, connected, [spare.reference]).slice(-1))
  const left = await nothingOpen(testbed, [connected.integrationId])
  return [
    ...refused,
    ...left.map(({ sentence }) => `I14: ${sentence}`),
    ...(await ingestedTrue(testbed, connected)),
    ...(await statusNeverReturns(testbed, connected)),
  ]
}

/** Keeps a due date that the test set to seconds from now, although polls read the PSP's, which is hours away. */
async function pinDueDates({ stack }: Testbed): Promise<void> {
  await byOwner(
    stack.databaseUrl,
    sql`
    create function keep_due_date() returns trigger language plpgsql as $$
      begin if old.due_date < now() + interval '1 minute' then new.due_date := old.due_date; end if; return new; end $$;
    create trigger keep_due_date before update on chargeback for each row execute function keep_due_date()`,
  )
}

const outcomeOf = ({ name, who, title }: ClockCell, result: SuiteOutcome['result'], why: string[]): SuiteOutcome => ({
  ...{ name, title, result, why },
  place: { row: title, column: who },
})
