import { randomBytes } from 'node:crypto'
import type { Subject } from '../adapters/conformance/subject.ts'
import { SUBJECTS } from '../adapters/conformance/subjects.ts'
import { readKeyRing } from '../db/core/seal.ts'
import { prepareAccount } from './account.ts'
import { numberOption, readOptions, UsageError } from './command.ts'
import { type Databases, openDatabases } from './databases.ts'
import { openOtherSide } from './other-side.ts'
import { openPoller, type PollerOptions, type PollRun } from './poller.ts'
import { describeMachine, loadNow, type Metric, printLine, printMetric } from './report.ts'

const SOURCES = SUBJECTS.map(({ definition }) => definition.source)

export const USAGE = `ingest: disputes of one PSP into an empty database, then polled again with nothing new

  --source <${SOURCES.join('|')}>
  --count <disputes>   default 2000
  --rounds <rounds>    default 5, after one that is not counted

Each round works on a fresh, never-analysed copy of one database. The PSP is simulated on this machine, in a process of
its own: wall time holds its answers, CPU time is the measured process' alone. DATABASE_URL names a Postgres whose user
may create databases; without it one is started for the run.`

export async function ingest(words: string[]): Promise<void> {
  const options = readOptions(words, ['source', 'count', 'rounds'])
  const subject = SUBJECTS.find(({ definition }) => definition.source === options.source)
  if (!subject) throw new UsageError(`--source: ${quoted(options.source)} is not one of ${SOURCES.join(', ')}`)
  const count = numberOption('count', options.count, 2_000, 200_000)
  const rounds = numberOption('rounds', options.rounds, 5, 100)
  const { source } = subject.definition

  const before = loadNow('before')
  const external = process.env.DATABASE_URL
  await using otherSide = await openOtherSide(source, { postgres: !external })
  await using databases = await openDatabases(external ?? otherSide.postgres?.url ?? '')
  console.error(`ingest: preparing ${count} disputes of ${subject.definition.displayName}`)
  const ring = readKeyRing(`bench:${randomBytes(32).toString('base64')}`)
  const template = await databases.create()
  const integrationId = await prepareAccount(template, ring, subject, otherSide, count)
  const { pspUrl, postgres } = otherSide
  const poller = { ring, source, pspUrl, integrationId, postgresPid: postgres?.pid ?? null }

  const runs: Round[] = []
  for (let round = 0; round <= rounds; round++) {
    const run = await measureRound(databases, template, poller, count)
    console.error(`ingest: ${round === 0 ? 'warm-up' : `round ${round}`}: ${inWords(run, count)}`)
    if (round > 0) runs.push(run)
  }
  printLine({
    name: 'ingest.run',
    source,
    disputes: count,
    rounds,
    ...describeMachine(),
    postgres: await databases.describe(),
    analyzed: false,
    load_before: before,
    load_after: loadNow('after'),
  })
  for (const metric of metricsOf(runs, subject, count)) printMetric(metric)
}

interface Round {
  firstLoad: PollRun
  repoll: PollRun
}

/** @throws when a dispute is missing, or the second poll found changes: the figures would measure less work */
async function measureRound(
  databases: Databases,
  template: string,
  options: Omit<PollerOptions, 'databaseUrl'>,
  count: number,
): Promise<Round> {
  const databaseUrl = await databases.create(template)
  try {
    await databases.checkpoint()
    await using poller = openPoller({ ...options, databaseUrl })
    const firstLoad = await poller.poll()
    const repoll = await poller.poll()
    const { created, changed, quarantined } = firstLoad
    if (created !== count)
      throw new Error(`of ${count} disputes ${created} were stored and ${quarantined} quarantined, ${changed} changed`)
    if (repoll.created + repoll.changed > 0)
      throw new Error(`the second poll found ${repoll.created} new and ${repoll.changed} changed disputes`)
    return { firstLoad, repoll }
  } finally {
    await databases.drop(databaseUrl)
  }
}

function metricsOf(rounds: Round[], { definition }: Subject, disputes: number): Metric[] {
  return (['firstLoad', 'repoll'] as const).flatMap((key) => {
    const runs = rounds.map((round) => round[key])
    const at = `ingest.${key === 'firstLoad' ? 'first_load' : 'repoll'}`
    const facts = { source: definition.source, disputes }
    const per = (name: string, unit: string, value: (run: PollRun) => number, more = {}): Metric => ({
      name: `${at}.${name}`,
      unit,
      values: runs.map(value),
      ...facts,
      ...more,
    })
    const first = runs[0]
    const postgres = first?.cost.postgresCpuMs ?? null
    return [
      // A PSP with a change feed lets a poll skip unchanged disputes: `read` shows how many it read.
      per('rate', 'disputes/s', ({ cost }) => (disputes * 1000) / cost.wallMs, { read: first?.seen }),
      per('cpu', 'µs/dispute', ({ cost }) => (cost.cpuMs * 1000) / disputes),
      ...(postgres === null
        ? []
        : [per('postgres_cpu', 'µs/dispute', ({ cost }) => ((cost.postgresCpuMs ?? 0) * 1000) / disputes)]),
      per('statements', 'statements/dispute', ({ statements }) => statements / disputes, { tokens: first?.tokens }),
      per('psp_requests', 'requests/dispute', ({ requests }) => requests / disputes),
    ]
  })
}

const quoted = (value: string | undefined) => (value === undefined ? 'nothing' : `"${value}"`)

function inWords({ firstLoad, repoll }: Round, count: number): string {
  const one = ({ cost, statements }: PollRun) =>
    `${Math.round((count * 1000) / cost.wallMs)} disputes/s, ${Math.round(cost.cpuMs)} ms CPU, ${statements} statements`
  return `first load ${one(firstLoad)}; re-poll ${one(repoll)}, ${repoll.seen} read`
}
