import { spawn } from 'node:child_process'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sources } from '../../adapters/registry.ts'
import { scriptArguments } from '../../local/run-script.ts'
import { testServers } from '../harness/servers.ts'

interface Line {
  name: string
  ours: number
  min: number
  max: number
  [fact: string]: unknown
}

/** The command as a user runs it; its figures are of a busy machine and are not looked at. */
function bench(...words: string[]): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, DATABASE_URL: testServers().postgresUrl }
    const child = spawn(process.execPath, [...scriptArguments('bench/main.ts'), ...words], { env })
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

describe('npm run bench -- ingest', () => {
  test.each(sources())('prints every figure of %s and leaves no database behind', async (source) => {
    const { code, out, err } = await bench('ingest', '--source', source, '--count', '50', '--rounds', '2')
    expect(code, err).toBe(0)
    const [run, ...figures] = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Line)
    expect(run).toMatchObject({
      name: 'ingest.run',
      source,
      disputes: 50,
      rounds: 2,
      machine: expect.any(String),
      node: process.version,
      commit: expect.any(String),
      postgres: { server_version: expect.any(String), fsync: expect.any(String) },
      load_before: expect.any(Number),
      load_after: expect.any(Number),
    })
    expect(figures.map(({ name }) => name)).toEqual(
      ['first_load', 'repoll'].flatMap((poll) =>
        ['rate', 'cpu', 'statements', 'psp_requests'].map((figure) => `ingest.${poll}.${figure}`),
      ),
    )
    for (const { min, ours, max, ...facts } of figures) {
      expect([min <= ours, ours <= max], facts.name).toEqual([true, true])
      expect(facts).toMatchObject({ source, disputes: 50, rounds: 2, unit: expect.any(String) })
    }
    const statements = figures.filter(({ name }) => name.endsWith('.statements'))
    for (const { ours } of statements) expect(ours).toBeGreaterThan(0)
    const left = await admin.query("select datname from pg_database where datname like 'bench\\_%'")
    expect(left.rows).toEqual([])
  })
})

describe('npm run bench -- tenancy', () => {
  test('compares both sides and leaves neither database nor role behind', async () => {
    const { code, out, err } = await bench('tenancy', '--count', '20', '--reads', '5', '--rounds', '1')
    expect(code, err).toBe(0)
    const names = out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Line).name)
    const figures = ['list', 'read', 'page'].flatMap((kind) => [`tenancy.${kind}.wall`, `tenancy.${kind}.cpu`])
    expect(names).toEqual(['tenancy.run', ...figures])
    const left = await admin.query("select rolname from pg_roles where rolname = 'recoup_bench_app'")
    expect(left.rows).toEqual([])
  })
})

describe('npm run bench', () => {
  test('names what it does not know, and what it has instead', async () => {
    const [unknown, source, count, option] = await Promise.all([
      bench('ingst'),
      bench('ingest', '--source', 'square'),
      bench('ingest', '--source', 'stripe', '--count', '0'),
      bench('ingest', '--sauce', 'stripe'),
    ])
    expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining('"ingst" is not one of ingest')])
    expect([source.code, source.err]).toEqual([2, expect.stringContaining('"square" is not one of stripe')])
    expect([count.code, count.err]).toEqual([2, expect.stringContaining('--count: "0" is not a whole number')])
    expect([option.code, option.err]).toEqual([2, expect.stringContaining('--sauce')])
  })

  test('explains itself', async () => {
    const { code, out } = await bench('--help')
    expect([code, out]).toEqual([0, expect.stringContaining('--source <')])
  })
})
