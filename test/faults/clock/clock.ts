import { sql } from 'kysely'
import { byOwner } from '../../harness/database.ts'
import { eventsOf, insist } from '../ground/deliveries.ts'
import { type Ground, prepareGround } from '../ground/prepare.ts'
import { ingestedTrue } from '../invariants/ingested.ts'
import { nothingOpen } from '../invariants/leftovers.ts'
import { neverBack } from '../invariants/order.ts'
import { decide } from '../notifications/notification-scene.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { type ClockScene, judgeScene, openScene, playScene } from './clock-scene.ts'
import { judgeTokens } from './clock-tokens.ts'
import { findFakeTime, loudEnough, SHIFTS, setClocks, WHO, type Who } from './false-clock.ts'

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
  { cell, reduced, adapters, told }: SuiteOptions,
  left: (ground: Ground, told: SuiteOptions['told']) => Promise<SuiteOutcome[]>,
): Promise<SuiteOutcome[]> {
  const wanted = cells.filter(({ name }) => (cell ? name === cell : !reduced))
  if (cell && wanted.length === 0) throw new Error(`there is no cell ${cell}`)
  if (wanted.length === 0 || (adapters && !adapters.includes('stripe'))) return []
  const tool = findFakeTime()
  if ('missing' in tool) {
    told?.(`  skipped: ${tool.missing}`)
    return wanted.map((one) => outcomeOf(one, 'skipped', [tool.missing]))
  }
  await using ground = await prepareGround({ disputes: { stripe: 1 } })
  await pinDueDates(ground)
  const played: { one: ClockCell; scene: ClockScene; why: string[] }[] = []
  for (const one of wanted) {
    const began = Date.now()
    await setClocks(ground, tool.preload, one.who, one.seconds)
    // Before any other request: a process must use the right time for its first request, too.
    const tokens = await judgeTokens(ground, one.seconds)
    const scene = await openScene(ground, one.seconds)
    const why = [...tokens, ...(await runCell(ground, one, scene).catch((error) => [(error as Error).message]))]
    played.push({ one, scene, why })
    told?.(`  ${one.name}: ${why.join('; ') || 'used the right time'}, ${Date.now() - began} ms`)
  }
  await setClocks(ground, tool.preload, 'both', 0)
  const outcomes = await Promise.all(
    played.map(async ({ one, scene, why }) => {
      const after = (await setRight(ground, scene)).map((sentence) => `after the clocks were corrected: ${sentence}`)
      for (const sentence of after) told?.(`  ${one.name}: ${sentence}`)
      const all = [...why, ...after]
      return outcomeOf(one, all.length > 0 ? 'failed' : 'passed', all)
    }),
  )
  return [...outcomes, ...(await left(ground, told))]
}

async function runCell(ground: Ground, { who, seconds }: ClockCell, scene: ClockScene): Promise<string[]> {
  return [
    ...(await playScene(ground, scene)),
    ...(await loudEnough(ground, who, seconds)),
    ...(await judgeScene(ground, scene)),
    ...(await nothingOpen(ground, [scene.connected.integrationId])).map(({ sentence }) => `I14: ${sentence}`),
  ]
}

/** Data read under a wrong clock is neither newer nor older than data that is read afterwards. */
async function setRight(ground: Ground, { connected, disputes }: ClockScene): Promise<string[]> {
  const { spare } = disputes
  decide({ ground, connected, disputes: [], reduced: false }, spare.record, 'lost')
  const refused = await insist(ground, connected, eventsOf(ground, connected, [spare.reference]).slice(-1))
  const left = await nothingOpen(ground, [connected.integrationId])
  return [
    ...refused,
    ...left.map(({ sentence }) => `I14: ${sentence}`),
    ...(await ingestedTrue(ground, connected)),
    ...(await neverBack(ground, connected)),
  ]
}

/** Keeps a due date that the test set to seconds from now, although polls read the PSP's, which is hours away. */
async function pinDueDates({ stack }: Ground): Promise<void> {
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
