import { connect } from '../db/core/connect.ts'
import { scriptArguments } from '../local/run-script.ts'
import { quietPorts } from '../process/ports.ts'
import { makeFleet } from './fleet/integrations.ts'
import { newRing } from './ours/recoup.ts'
import { openOtherSide } from './psp/other-side.ts'
import { appRole, asApp } from './runner/app-role.ts'
import { openChild } from './runner/child.ts'
import { clusterTime, processCpuMs } from './runner/clocks.ts'
import type { Benchmark } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'

/** Disputes of each integration: a page of ten. */
const DISPUTES = 10
/** What the row is about. */
const FLEET = 10_000
/** For verification, schedules and the first poll of every integration. */
const READY_MS = 300_000

/** Ways to poll, by the variables that choose them. The last one is what the gate judges. */
const MODES = [{ name: 'schedules', env: {} }] as const

interface Polled {
  polls: number
  workerMs: number
  temporalMs: number
  postgresMs: number
}

export const sweep: Benchmark = {
  name: 'sweep',
  about: 'processor time of worker, Temporal and Postgres to poll a fleet of integrations with nothing new',
  async run(context) {
    const integrations = context.size(300, 20)
    const seconds = context.quick ? 15 : 120
    const interval = context.quick ? 5 : 30
    context.skip('sweep.growth', ['P12'], 'a schedule for each of 100,000 integrations does not fit this machine')
    for (const { name, env } of MODES) {
      await using otherSide = await openOtherSide()
      const temporal = await otherSide.temporal()
      if (!temporal) return context.skip('sweep.cpu', ['P11'], 'there is no Temporal CLI: npm start once')
      const { url: serverUrl, pid: postmaster } = otherSide.postgres
      await using _role = appRole(serverUrl)
      await using databases = await openDatabases(serverUrl)
      const url = await databases.create()
      const ring = newRing()
      await makeFleet(url, ring, integrations)
      const pspUrl = await otherSide.bulk({ count: DISPUTES })
      context.fact({ integrations, seconds, interval, postgres: await databases.describe() })
      await using worker = openChild(process.execPath, scriptArguments('bench/fleet/worker-process.ts'), {
        name: 'the worker',
      })
      const [port = 0] = await quietPorts(1)
      await worker.ask({
        env: {
          DATABASE_URL: asApp(url),
          TEMPORAL_ADDRESS: temporal.address,
          RECOUP_ENCRYPTION_KEYS: ring,
          RECOUP_WORKER_PORT: String(port),
          RECOUP_POLL_INTERVAL_SECONDS: String(interval),
          STRIPE_API_URL: pspUrl,
          ...env,
        },
      })
      await allPolled(url, integrations)
      context.say(`${name}: ${integrations} integrations polled once; measuring for ${seconds} s`)
      await otherSide.counters()
      const cpu = () => ({ worker: processCpuMs(worker.pid) ?? 0, temporal: processCpuMs(temporal.pid) ?? 0 })
      const before = cpu()
      const { postgresCpuMs } = await clusterTime(
        postmaster,
        () => new Promise((end) => setTimeout(end, seconds * 1000)),
      )
      const after = cpu()
      const polled: Polled = {
        polls: (await otherSide.counters()).requests,
        workerMs: after.worker - before.worker,
        temporalMs: after.temporal - before.temporal,
        postgresMs: postgresCpuMs ?? 0,
      }
      if (polled.polls === 0) throw new Error('nothing was polled')
      const fleet = (ms: number) => ((ms / polled.polls) * FLEET) / 1000
      const all = polled.workerMs + polled.temporalMs + polled.postgresMs
      const line = (figure: string, ours: number, unit = 'CPU-s/10,000 polls') =>
        context.metric({ name: `sweep.${figure}`, unit, clock: 'cpu', ours: [ours], anchor: null })
      line(`${name}.worker`, fleet(polled.workerMs))
      line(`${name}.temporal`, fleet(polled.temporalMs))
      line(`${name}.postgres`, fleet(polled.postgresMs))
      line(`${name}.polls`, polled.polls, 'polls')
      if (name === MODES.at(-1)?.name) line('cpu', fleet(all))
    }
  },
}

/** Waits for the first poll of every integration. */
async function allPolled(url: string, integrations: number): Promise<void> {
  const db = connect(url, { scope: 'owner', max: 1 })
  try {
    for (const end = Date.now() + READY_MS; ; ) {
      const { polled } = await db
        .selectFrom('integration')
        .select((eb) => eb.fn.countAll<bigint>().as('polled'))
        .where('last_successful_poll_at', 'is not', null)
        .executeTakeFirstOrThrow()
      if (Number(polled) === integrations) return
      if (Date.now() > end) throw new Error(`${polled} of ${integrations} integrations were polled`)
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  } finally {
    await db.destroy()
  }
}
