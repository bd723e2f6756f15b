import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { connect } from '../../../db/core/connect.ts'
import { quietPorts } from '../../../process/ports.ts'
import { startChild } from '../../harness/child.ts'
import { byOwner } from '../../harness/database.ts'
import { testServers } from '../../harness/servers.ts'
import { until } from '../../harness/until.ts'

/** The commands of "First run in production" in docs/operating.md, with names of this test. */
const chapter = readFileSync('docs/operating.md', 'utf8')
  .split(/^## /m)
  .find((text) => text.startsWith('First run in'))
const blocks = (language: string) =>
  [...(chapter ?? '').matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  )

/** Replaces the start of worker and API: prints the key, and waits. */
const START_NOW = 'echo "started with $RECOUP_ENCRYPTION_KEYS"; read -r _\n'

test('first run in production: the commands of docs/operating.md end with a connected account', async () => {
  const [migrate = '', ...others] = blocks('sh')
  expect(others).toHaveLength(2)
  const suffix = randomUUID().slice(0, 8)
  const [owner, app, name] = [`recoup_owner_${suffix}`, `recoup_app_${suffix}`, `recoup_${suffix}`]
  const { postgresUrl } = testServers()
  for (const statement of (blocks('sql')[0] ?? '').split(';').filter((text) => text.trim() !== ''))
    await byOwner(
      postgresUrl,
      sql.raw(statement.replaceAll('recoup_owner', owner).replace('database recoup ', `database ${name} `)),
    )
  const of = (username: string, password: string) =>
    Object.assign(new URL(postgresUrl), { username, password, pathname: `/${name}` }).href
  const [port = 0] = await quietPorts(1)
  const shell = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', [migrate, START_NOW, ...others].join('\n')], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...{ PATH: process.env.PATH, HOME: process.env.HOME },
      ...{ OWNER_URL: of(owner, 'choose-one'), APP_URL: of(app, 'app') },
      ...{ API_URL: `http://127.0.0.1:${port}`, STRIPE_KEY: 'rk_live_firstRun' },
    },
  })
  const lines: string[] = []
  for (const stream of [shell.stdout, shell.stderr]) createInterface(stream).on('line', (line) => lines.push(line))
  const ended = new Promise<number | null>((resolve) => shell.once('close', resolve))
  const key = await until(
    'the shell waits for API and worker',
    () => lines.find((line) => line.startsWith('started with '))?.split(' ')[2],
  )
  const api = startChild('api/main.ts', {
    ...{ DATABASE_URL: of(app, 'app'), RECOUP_ENVIRONMENT: 'production', RECOUP_ENCRYPTION_KEYS: key ?? '' },
    ...{ RECOUP_API_PORT: String(port), RECOUP_API_METRICS_PORT: '0', TEMPORAL_ADDRESS: '127.0.0.1:1' },
  })
  const db = connect(of(app, 'app'), { max: 1, scope: 'system' })
  try {
    await until('the API is up', async () => (await fetch(`http://127.0.0.1:${port}/health`).catch(() => null))?.ok)
    shell.stdin.write('\n')
    expect(await ended, lines.join('\n')).toBe(0)
    expect(await db.selectFrom('merchant').select('reference_id').execute()).toEqual([{ reference_id: 'shop' }])
    expect(await db.selectFrom('integration').select(['source', 'status', 'go_live_waits']).execute()).toEqual([
      { source: 'stripe', status: 'PENDING', go_live_waits: true },
    ])
    expect(
      await db.selectFrom('operator_action').select(['operator', 'action']).orderBy('operator_action_id').execute(),
    ).toEqual(['migrate', 'account create', 'credential issue'].map((action) => ({ operator: 'alice', action })))
  } finally {
    await api.stop()
    await db.destroy()
    await byOwner(postgresUrl, sql.raw(`drop database ${name} with (force)`))
  }
})
