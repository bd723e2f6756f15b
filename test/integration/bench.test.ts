import { spawn } from 'node:child_process'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scriptArguments } from '../../local/run-script.ts'
import { testServers } from '../harness/servers.ts'

interface Line {
  name: string
  ours: number
  [fact: string]: unknown
}

/** The command as a user runs it. Its figures are not checked, because the machine is busy. */
function bench(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, DATABASE_URL: testServers().postgresUrl }
    const child = spawn(process.execPath, [...scriptArguments('bench/main.ts'), ...args], { env })
    const text = { out: '', err: '' }
    child.stdout.on('data', (chunk) => {
      text.out += chunk
    })
    child.stderr.on('data', (chunk) => {
      text.err += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...text }))
  })
}

let admin: pg.Client
beforeAll(async () => {
  admin = new pg.Client(testServers().postgresUrl)
  await admin.connect()
})
afterAll(() => admin.end())

const linesOf = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

/** Small enough to show that it runs. Without DATABASE_URL it would start its own Postgres. */
const SMALL = ['--quick', '--count', '50', '--pairs', '1']

describe('npm run bench -- ingest', () => {
  // A PSP that is asked for a list of disputes, and one that sends notifications. The conformance kit checks every adapter.
  test.each(['stripe', 'adyen'])('prints every figure of %s and leaves no database behind', async (source) => {
    const { code, out, err } = await bench('ingest', '--source', source, '--peer', 'none', ...SMALL)
    expect(code, err).toBe(0)
    const [run, ...others] = linesOf(out)
    expect(run).toMatchObject({
      name: 'ingest.run',
      quick: true,
      disputes: 50,
      machine: expect.any(String),
      node: process.version,
      commit: expect.any(String),
      postgres: { server_version: expect.any(String), fsync: expect.any(String) },
      load_before: expect.any(Number),
      load_after: expect.any(Number),
    })
    const figures = others.filter((line) => !('skipped' in line))
    const prefix = source === 'stripe' ? 'ingest' : `ingest.${source}`
    expect(figures.map(({ name }) => name)).toEqual([`${prefix}.rate`, `${prefix}.client_cpu`])
    for (const { ours, ...facts } of figures) {
      expect(ours).toBeGreaterThan(0)
      expect(facts).toMatchObject({ pairs: 1, unit: expect.any(String) })
    }
    const left = await admin.query("select datname from pg_database where datname like 'bench\\_%'")
    expect(left.rows).toEqual([])
  })

  test('reports which rows are unproven because a peer did not run', async () => {
    const { out, err } = await bench('ingest', '--peer', 'none', ...SMALL)
    expect(err).toContain('SKIPPED ingest.supabase: left out by --peer. Unproven: P1')
    expect(linesOf(out)).toContainEqual({ name: 'ingest.supabase', skipped: 'left out by --peer', rows: ['P1'] })
  })
})

describe('npm run bench -- resync', () => {
  test('polls again with nothing new, one new and 1 % changed', async () => {
    const { code, out, err } = await bench('resync', '--peer', 'none', '--quick', '--count', '200', '--pairs', '1')
    expect(code, err).toBe(0)
    const names = linesOf(out).map(({ name }) => name)
    for (const poll of ['unchanged', 'one_new', 'percent_changed']) expect(names).toContain(`resync.${poll}.rate`)
  })
})

describe('npm run bench -- tenancy', () => {
  test('compares both sides and leaves neither database nor role behind', async () => {
    const { code, out, err } = await bench('tenancy', ...SMALL)
    expect(code, err).toBe(0)
    const names = linesOf(out).map(({ name }) => name)
    const figures = ['list', 'read', 'page'].flatMap((kind) => [`tenancy.${kind}.wall`, `tenancy.${kind}.cpu`])
    expect(names).toEqual(['tenancy.run', ...figures])
    const left = await admin.query("select rolname from pg_roles where rolname = 'recoup_bench_app'")
    expect(left.rows).toEqual([])
  })
})

describe('npm run bench -- sweep', () => {
  test('polls fleets of two sizes, and leaves the rows of 10,000 integrations unproven', async () => {
    const { code, out, err } = await bench('sweep', '--quick', '--count', '20', '--pairs', '1')
    expect(code, err).toBe(0)
    expect(err).toContain('SKIPPED sweep.size: 20 integrations are not 10000. Unproven: P11, P12')
    const lines = linesOf(out)
    expect(lines[0]).toMatchObject({ name: 'sweep.run', integrations: 20, disputes: 200 })
    for (const figure of ['cpu', 'cpu_large_pages', 'client_cpu', 'statements', 'growth'])
      expect(lines).toContainEqual(expect.objectContaining({ name: `sweep.small.${figure}`, pairs: 1 }))
  })
})

describe('npm run bench -- console', () => {
  test('opens the queue in a real browser, and prints every figure', async () => {
    const { code, out, err } = await bench('console', '--quick', '--pairs', '1')
    const [run, ...lines] = linesOf(out)
    if (lines.some((line) => 'skipped' in line)) return console.warn(`SKIPPED: ${JSON.stringify(lines)}`)
    // On a busy machine a time may miss its gate; bytes and requests must not.
    const missed = err.split('\n').filter((line) => line.startsWith('MISSED'))
    expect(missed.filter((line) => !/first rows|scripting|key|filter/.test(line))).toEqual([])
    expect(code).toBe(missed.length > 0 ? 1 : 0)
    expect(run).toMatchObject({ name: 'console.run', chromium: expect.any(String), slower: 4 })
    const names = ['script', 'style', 'list_requests', 'requests', 'first_rows', 'load', 'key', 'filter']
    expect(lines.map(({ name }) => name)).toEqual(names.map((name) => `console.${name}`))
    for (const { ours } of lines) expect(ours).toBeGreaterThan(0)
  })
})

describe('npm run bench -- evidence', () => {
  test('builds packages of ten pages, and prints every figure', async () => {
    const { code, out, err } = await bench('evidence', '--quick', '--pairs', '1')
    const missed = err.split('\n').filter((line) => line.startsWith('MISSED'))
    // On a busy machine a time may miss its gate; bytes must not.
    expect(missed.filter((line) => /size/.test(line))).toEqual([])
    expect(code).toBe(missed.length > 0 ? 1 : 0)
    const [, ...figures] = linesOf(out)
    const names = ['build_p95', 'render', 'median_size', 'largest_size', 'rebuilds', 'rss']
    expect(figures.map(({ name }) => name)).toEqual(names.map((name) => `evidence.${name}`))
    for (const { ours } of figures) expect(ours).toBeGreaterThan(0)
  })
})

describe('npm run bench -- webhooks', () => {
  test('sends events to a hundred receivers, in a backlog and when idle', async () => {
    const { code, out, err } = await bench('webhooks', '--quick', '--pairs', '1', '--count', '400')
    expect(code, err).toBe(0)
    const [run, ...figures] = linesOf(out)
    expect(run).toMatchObject({ name: 'webhooks.run', events: 400, receivers: 100 })
    expect(figures.map(({ name }) => name)).toEqual(
      ['cpu', 'statements', 'rate', 'latency_p95', 'latency_beside_p95'].map((figure) => `webhooks.${figure}`),
    )
    for (const { ours } of figures) expect(ours).toBeGreaterThan(0)
  })
})

describe('npm run bench', () => {
  test('exits 1 on a missed gate, and names it', async () => {
    const { code, err } = await bench('roundtrips', '--quick')
    const missed = err.split('\n').filter((line) => line.startsWith('MISSED'))
    expect(code).toBe(missed.length > 0 ? 1 : 0)
    expect(err).toMatch(/(MISSED|MET) P4 load: database round trips per chargeback, first load: [\d.]+, gate ≤ 0.03/)
  })

  test('names an unknown benchmark, and the known ones', async () => {
    const { code, err } = await bench('ingst')
    expect([code, err]).toEqual([2, expect.stringContaining('"ingst" is not one of')])
  })

  test('shows its help', async () => {
    const { code, out } = await bench('--help')
    expect([code, out]).toEqual([0, expect.stringContaining('--source <')])
  })
})
