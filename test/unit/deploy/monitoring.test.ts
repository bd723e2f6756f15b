import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createMetrics as createApiMetrics } from '../../../api/http/metrics.ts'
import { runCommand } from '../../../local/run-command.ts'
import { createMetrics as createWorkerMetrics } from '../../../workflows/worker/metrics.ts'
import { expressions, metricsIn, metricsOf } from '../../harness/deploy/monitoring.ts'
import { findPromtool } from '../../harness/deploy/promtool.ts'

const all = expressions()
const promtool = await findPromtool()
if ('missing' in promtool) console.warn(`SKIPPED: rules and dashboards are not checked. ${promtool.missing}`)

/** Metrics of API and worker. Their readings fail without a database; names and types are there all the same. */
async function ours(): Promise<Set<string>> {
  const none = { pool: { totalCount: 0, idleCount: 0, waitingCount: 0 } } as never
  const worker = createWorkerMetrics(none, { ahead: () => 0 }, 'http://127.0.0.1:1/')
  return metricsOf(`${await worker.render()}\n${(await createApiMetrics({ db: none }).render()).text}`)
}

describe('alerts and dashboards', () => {
  test('name only metrics that API and worker render', async () => {
    const known = await ours()
    expect(all.length).toBeGreaterThan(35)
    const unknown = all.flatMap(({ at, expr }) =>
      metricsIn(expr)
        // Those of Temporal's SDK: test/integration/workflows/verification.test.ts.
        .filter((name) => !name.startsWith('temporal_') && !known.has(name))
        .map((name) => `${at}: ${name}`),
    )
    expect(unknown).toEqual([])
  })

  test('an expression’s metrics are its names that are no function, label, duration or keyword', () => {
    const expr = 'sum by (a, b) (rate(x_total{c=~"d|e"}[5m])) / on (f) max(y offset 6h) > 3 or absent(z)'
    expect(metricsIn(expr)).toEqual(['x_total', 'y', 'z'])
    expect(metricsIn('abs({__name__=~"x|y"}) > 1')).toEqual(['x', 'y'])
  })

  test('never add up a gauge that every worker reads from Postgres', async () => {
    const gauges =
      /sum(?: by \([^)]*\))? \((?:chargebacks|integrations|outbox|event_|webhook_(?:wait|pending|endpoints)|poll_|commands_|retention_|file_quota)|sum\((?:chargebacks|integrations|outbox|event_|poll_|commands_|retention_|file_quota)/
    expect(all.filter(({ expr }) => gauges.test(expr))).toEqual([])
  })

  test('there is an alert for each row of the table of docs/operating.md, and the table names each', () => {
    const page = readFileSync('docs/operating.md', 'utf8')
    const [table = ''] = /\| metric \| alert \|[\s\S]*?\n\n/.exec(page) ?? []
    const rows = table.trim().split('\n').slice(2)
    const alerts = all.filter(({ at }) => /^Recoup/.test(at))
    const of = rows.map((row) => [...row.matchAll(/`(Recoup\w+)`/g)].map(([, name]) => name))
    expect(of.flat().toSorted()).toEqual(alerts.map(({ at }) => at).toSorted())
    for (const [at, names] of of.entries()) {
      const [, metrics = ''] = (rows[at] as string).split('|')
      const named = [...metrics.matchAll(/`([a-z_]{6,})`/g)].map(([, name = '']) => name)
      for (const name of names) {
        const read = metricsIn(alerts.find((alert) => alert.at === name)?.expr ?? '')
        expect(named.some((metric) => read.some((one) => one === metric || one === `${metric}_bucket`))).toBe(true)
      }
    }
  })
})

describe.skipIf('missing' in promtool)('promtool', () => {
  const run = async (...args: string[]) => {
    if (!('path' in promtool)) throw new Error(promtool.missing)
    return runCommand(promtool.path, args, { cwd: 'deploy/prometheus', timeoutMs: 60_000 })
  }

  test('finds no fault in the alerts, and each fires when it should and not before', async () => {
    expect(await run('check', 'rules', 'rules.yml')).toMatchObject({ code: 0 })
    const { code, output } = await run('test', 'rules', 'rules.test.yml')
    expect(code, output).toBe(0)
  })

  test('finds no fault in the dashboards’ expressions', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recoup-dashboards-'))
    const record = ({ expr }: { expr: string }, at: number) => ({ record: `panel:${at}`, expr })
    const rules = join(folder, 'rules.yml')
    // JSON is YAML.
    const check = (listed: { expr: string }[]) => {
      writeFileSync(rules, JSON.stringify({ groups: [{ name: 'panels', rules: listed.map(record) }] }))
      return run('check', 'rules', rules)
    }
    const panels = all.filter(({ at }) => !/^Recoup/.test(at))
    const { code, output } = await check(panels)
    expect(code, output).toBe(0)
    expect(output).toContain(`${panels.length} rules found`)
    expect((await check([{ expr: 'sum(chargebacks' }])).code).not.toBe(0)
    rmSync(folder, { recursive: true })
  })
})
