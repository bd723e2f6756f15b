import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../local/free-ports.ts'
import { projectFolder } from '../local/run-script.ts'
import { STACK_FILE, type StackFile } from '../local/stack-file.ts'
import type { Context } from './runner/context.ts'

/** A cold start may download or build Temporal; the round that is not counted does that. */
const FIRST_MS = 30 * 60_000
const STOPPED_MS = 20_000

interface Started {
  apiSeconds: number
  workerSeconds: number
  firstChargebackSeconds: number
  apiMb: number
  workerMb: number
}

interface StartedTwice extends Started {
  /** To the first chargeback, with the data of the first start. */
  againSeconds: number
}

export async function run(context: Context): Promise<void> {
  if (process.platform !== 'linux') return context.skip('start.memory', context.rows, 'memory is read from /proc')
  const { rounds, loudPairs } = await context.pairsOf({ started: startTwice }, null)
  const line = (figure: string, unit: string, clock: 'wall' | 'count', value: (one: StartedTwice) => number) =>
    context.metric(
      { name: `start.${figure}`, unit, clock, ours: rounds.map(({ started }) => value(started)), anchor: null },
      loudPairs,
    )
  line('first_chargeback', 's', 'wall', ({ firstChargebackSeconds }) => firstChargebackSeconds)
  line('again_first_chargeback', 's', 'wall', ({ againSeconds }) => againSeconds)
  line('api_ready', 's', 'wall', ({ apiSeconds }) => apiSeconds)
  line('worker_ready', 's', 'wall', ({ workerSeconds }) => workerSeconds)
  line('api_rss', 'MB', 'count', ({ apiMb }) => apiMb)
  line('worker_rss', 'MB', 'count', ({ workerMb }) => workerMb)
}

/** Starts with an empty data folder, stops, and starts again with the data of the first start. */
async function startTwice(): Promise<StartedTwice> {
  const folder = mkdtempSync(join(tmpdir(), 'recoup-bench-start-'))
  try {
    const first = await start(folder)
    return { ...first, againSeconds: (await start(folder)).firstChargebackSeconds }
  } finally {
    const data = join(folder, 'postgres')
    if (existsSync(data)) rmSync(realpathSync(data), { recursive: true, force: true })
    rmSync(folder, { recursive: true, force: true })
  }
}

async function start(folder: string): Promise<Started> {
  const env = { RECOUP_DATA_FOLDER: folder, ...(await freePorts()) }
  const began = performance.now()
  const npm = spawn('npm', ['start'], {
    ...{ cwd: projectFolder, env: { ...process.env, ...env }, stdio: 'ignore', detached: true },
  })
  const since = async (holds: () => Promise<boolean>): Promise<number> => {
    while (!(await holds().catch(() => false))) {
      if (npm.exitCode !== null || performance.now() - began > FIRST_MS) throw new Error('npm start did not get ready')
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    return (performance.now() - began) / 1000
  }
  const answers = (url: string) => () => fetch(url).then(({ ok }) => ok)
  const stackFile = join(folder, STACK_FILE)
  try {
    const [apiSeconds, workerSeconds, firstChargebackSeconds] = await Promise.all([
      since(answers(`http://127.0.0.1:${env.RECOUP_API_PORT}/health`)),
      since(answers(`http://127.0.0.1:${env.RECOUP_WORKER_PORT}/ready`)),
      since(async () => existsSync(stackFile) && (await hasChargeback(readStack(stackFile)))),
    ])
    const { processes } = readStack(stackFile)
    return {
      ...{ apiSeconds, workerSeconds, firstChargebackSeconds },
      ...{ apiMb: rssMb(processes.api), workerMb: rssMb(processes.worker) },
    }
  } finally {
    await stop(npm)
  }
}

const readStack = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as StackFile

async function hasChargeback({ apiUrl, tokens }: StackFile): Promise<boolean> {
  const headers = { authorization: `Bearer ${tokens.merchant}` }
  const response = await fetch(`${apiUrl}/chargebacks`, { headers })
  return ((await response.json()) as { data: unknown[] }).data.length > 0
}

/** Resident memory of a process. */
function rssMb(pid: number | null): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024
}

/** As Ctrl-C in its terminal. @throws when it goes on */
async function stop(npm: ChildProcess): Promise<void> {
  if (npm.exitCode !== null || npm.signalCode !== null || !npm.pid) return
  const ended = new Promise<boolean>((resolve) => npm.once('exit', () => resolve(true)))
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, STOPPED_MS, false).unref())
  process.kill(-npm.pid, 'SIGINT')
  if (!(await Promise.race([ended, late]))) throw new Error('npm start did not end within 20 s of Ctrl-C')
}
