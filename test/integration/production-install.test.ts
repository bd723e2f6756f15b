import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitForEnd } from '../../local/processes.ts'
import { projectFolder } from '../../local/run-script.ts'
import { quietPorts } from '../../process/ports.ts'
import { composedServices } from '../harness/compose-file.ts'
import { takeNamespace } from '../harness/namespace.ts'
import { testServers } from '../harness/servers.ts'

/** Each service of docker-compose.yml by its own command, in what the image holds, against the test servers. */
const folder = mkdtempSync(join(tmpdir(), 'recoup-production-'))
const database = `t_${randomUUID().replaceAll('-', '')}`
const services = composedServices()
const children: ChildProcess[] = []
const env: Record<string, string> = {}
const ports: Record<string, { own: number; composed: number }> = {}

beforeAll(async () => {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: projectFolder,
    encoding: 'utf8',
  })
  const dockerfile = readFileSync(join(projectFolder, 'Dockerfile'), 'utf8')
  const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \.\/.*$/gm)].flatMap((line) => line[1]?.split(' ') ?? [])
  const inImage = (path: string) => copied.some((source) => path === source || path.startsWith(`${source}/`))
  for (const path of listed.split('\0').filter(inImage)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    cpSync(join(projectFolder, path), join(folder, path))
  }
  execFileSync('npm', ['ci', '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: 'pipe',
  })
  const prune = /^RUN (node -e [\s\S]*?[^\\])\n\n/m.exec(dockerfile)?.[1]
  execFileSync('bash', ['-c', prune ?? 'false'], { cwd: folder })

  const { postgresUrl, temporalAddress } = testServers()
  const admin = new pg.Client(postgresUrl)
  await admin.connect()
  await admin.query(`create database ${database}`)
  await admin.end()
  const [api = 0, metrics = 0, worker = 0, control = 0] = await quietPorts(11)
  ports.api = { own: metrics, composed: 8082 }
  ports.worker = { own: worker, composed: 8081 }
  ports.simulators = { own: control, composed: 12110 }
  Object.assign(env, {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    RECOUP_TEST_RUN: process.env.RECOUP_TEST_RUN ?? '',
    NODE_ENV: 'production',
    DATABASE_URL: postgresUrl.replace(/\/postgres$/, `/${database}`),
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: await takeNamespace(),
    RECOUP_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    RECOUP_API_PORT: String(api),
    RECOUP_API_METRICS_PORT: String(metrics),
    RECOUP_WORKER_PORT: String(worker),
    RECOUP_SIMULATORS_PORT: String(control),
    STRIPE_API_URL: '',
  })
}, 240_000)

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await waitForEnd(
    children.flatMap((child) => child.pid ?? []),
    5_000,
  )
  rmSync(folder, { recursive: true, force: true })
})

function commandOf(name: string): [string, string[]] {
  const [file = '', ...args] = services.find((service) => service.name === name)?.command ?? []
  return [file, args]
}

describe('a production install', () => {
  test('has no development package', () => {
    expect(spawnSync('ls', ['node_modules/vitest', 'node_modules/typescript'], { cwd: folder }).status).not.toBe(0)
  })

  test('migrate brings an empty database to this version and ends', () => {
    const [file, args] = commandOf('migrate')
    const run = spawnSync(file, args, { cwd: folder, env, encoding: 'utf8', timeout: 60_000 })
    expect(run.stderr).toBe('')
    expect(run.status).toBe(0)
  })

  test.each(['api', 'worker', 'simulators'])('%s gets healthy by its own check and ends by SIGTERM', async (name) => {
    const [file, args] = commandOf(name)
    const child = spawn(file, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    const port = ports[name]
    const script = services.find((service) => service.name === name)?.healthScript ?? 'process.exit(1)'
    expect(script).toContain(`:${port?.composed}/`)
    const check = script.replace(`:${port?.composed}/`, `:${port?.own}/`)
    for (const end = Date.now() + 60_000; spawnSync('node', ['-e', check]).status !== 0; await pause(200)) {
      if (child.exitCode !== null || Date.now() > end) throw new Error(`${name} did not get healthy:\n${output}`)
    }
    const ended = new Promise((resolve) => child.on('exit', resolve))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})
