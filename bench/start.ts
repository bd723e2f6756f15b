import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectFolder } from '../local/run-script.ts'
import { STACK_FILE, type StackFile } from '../local/stack-file.ts'
import { quietPorts } from '../process/ports.ts'
import type { Benchmark } from './runner/context.ts'

const LIMIT_MS = 180_000
const LOOK_MS = 50

export const start: Benchmark = {
  name: 'start',
  about: 'npm start on an empty data folder, until the API shows the first simulated chargeback; tools are cached',
  async run(context) {
    const { rounds, loudPairs } = await context.pairsOf({ ours: firstChargeback }, null)
    const ours = rounds.map((round) => round.ours)
    context.metric({ name: 'start.first_chargeback', unit: 's', clock: 'wall', ours, anchor: null }, loudPairs)
  },
}

/** @returns seconds */
async function firstChargeback(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-bench-start-'))
  // The simulators take as many as there are PSPs, after the one that is named.
  const [api, metrics, worker, postgres, temporal, ui, simulators] = (await quietPorts(13)).map(String)
  const started = performance.now()
  const npm = spawn('npm', ['start'], {
    cwd: projectFolder,
    stdio: 'ignore',
    // Its own group: it gets its Ctrl-C from here.
    detached: true,
    env: {
      ...withoutServers(process.env),
      RECOUP_DATA_FOLDER: folder,
      RECOUP_API_PORT: api,
      RECOUP_API_METRICS_PORT: metrics,
      RECOUP_WORKER_PORT: worker,
      RECOUP_POSTGRES_PORT: postgres,
      RECOUP_TEMPORAL_PORT: temporal,
      RECOUP_TEMPORAL_UI_PORT: ui,
      RECOUP_SIMULATORS_PORT: simulators,
    },
  })
  try {
    for (;;) {
      if (await showsChargeback(folder)) return (performance.now() - started) / 1000
      if (npm.exitCode !== null) throw new Error(`npm start ended with ${npm.exitCode}`)
      if (performance.now() - started > LIMIT_MS) throw new Error('npm start showed no chargeback')
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  } finally {
    await interrupt(npm)
    const data = join(folder, 'postgres')
    if (existsSync(data)) rmSync(realpathSync(data), { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The embedded servers are a part of what is measured. */
function withoutServers({ DATABASE_URL: _, TEMPORAL_ADDRESS: __, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env
}

async function showsChargeback(folder: string): Promise<boolean> {
  const file = join(folder, STACK_FILE)
  if (!existsSync(file)) return false
  try {
    const { apiUrl, tokens } = JSON.parse(readFileSync(file, 'utf8')) as StackFile
    const headers = { authorization: `Bearer ${tokens.merchant}` }
    const response = await fetch(`${apiUrl}/chargebacks?limit=1`, { headers })
    return response.ok && ((await response.json()) as { data: unknown[] }).data.length > 0
  } catch {
    // The file is half written, or the API does not listen yet.
    return false
  }
}

/** What a terminal does on Ctrl-C: everything in the foreground gets it. */
async function interrupt(npm: ChildProcess): Promise<void> {
  if (npm.exitCode !== null || npm.signalCode !== null || !npm.pid) return
  const ended = new Promise((resolve) => npm.once('exit', resolve))
  process.kill(-npm.pid, 'SIGINT')
  await ended
}
