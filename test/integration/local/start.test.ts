import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { isAlive, waitForEnd } from '../../../local/processes.ts'
import type { StackFile } from '../../../local/stack-file.ts'
import { isFree } from '../../../process/ports.ts'
import { installLocally, signalGroup } from '../../harness/installation/npm-start.ts'
import { openToOthers } from '../../harness/open-to-others.ts'
import { until } from '../../harness/until.ts'

interface Chargeback {
  id: string
  pspStatus: string
  lifecycleStage: string
}

const pidsOf = (stack: StackFile) => Object.values(stack.processes).filter((pid) => pid !== null)

async function chargebacks(stack: StackFile, psp = 'stripe'): Promise<Chargeback[]> {
  const response = await fetch(`${stack.apiUrl}/chargebacks?limit=100&psp=${psp}`, {
    headers: { authorization: `Bearer ${stack.tokens.merchant}` },
  })
  return ((await response.json()) as { data: Chargeback[] }).data
}

async function chargebacksOnce(stack: StackFile, count: number, psp = 'stripe'): Promise<Chargeback[]> {
  for (const end = Date.now() + 30_000; ; await pause(100)) {
    const found = await chargebacks(stack, psp)
    if (found.length >= count || Date.now() > end) return found
  }
}

/** Roles of all sessions of the database, and the tables that the role of this address owns. */
async function rolesConnected(databaseUrl: string) {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query(`
    select (select array_agg(distinct usename::text) from pg_stat_activity where datname = current_database()
        and backend_type = 'client backend' and pid <> pg_backend_pid()) as roles,
      (select count(*)::int from pg_tables where schemaname = 'public' and pg_has_role(tableowner, 'member')) as owns`)
  await client.end()
  return rows[0]
}

describe('npm start', () => {
  test('finding 6: starts with chargebacks, stack file, commands to paste, private files; ends on Ctrl-C', async () => {
    await using local = await installLocally()
    const start = local.start()
    const stack = await start.ready()

    expect(stack.apiUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/)
    expect(Object.keys(stack).sort()).toEqual(
      [
        ...[
          'apiUrl',
          'docsUrl',
          'consoleUrl',
          'receiverUrl',
          'temporalUiUrl',
          'temporalAddress',
          'temporalNamespace',
          'databaseUrl',
          'tokens',
        ],
        ...['merchant', 'integrations', 'simulators', 'processes'],
      ].sort(),
    )
    expect(Object.keys(stack.simulators.stripe ?? {}).sort()).toEqual(
      [
        ...['url', 'controlUrl', 'externalIdentifier', 'secretType', 'secretPayload', 'refusedSecretPayload'],
        'restrictedSecretPayload',
      ].sort(),
    )
    expect(stack.integrations.map(({ source, secretType }) => `${source} ${secretType}`)).toEqual([
      ...['stripe APIKEY_ONLY', 'paypal BASIC_AUTH', 'braintree PUBLIC_SECRET_KEY', 'adyen HMAC'],
      'recoup_sandbox APIKEY_ONLY',
    ])
    expect(pidsOf(stack)).toHaveLength(5)
    for (const page of [stack.docsUrl, stack.consoleUrl, stack.temporalUiUrl ?? ''])
      expect((await fetch(page)).ok).toBe(true)

    for (const { source } of stack.integrations) expect(await chargebacksOnce(stack, 60, source)).toHaveLength(60)
    const found = await chargebacksOnce(stack, 60)
    expect(new Set(found.map((one) => one.pspStatus))).toEqual(
      new Set([
        ...['needs_response', 'under_review', 'won', 'lost', 'not_applicable', 'evidence_not_submitted_by_psp'],
      ]),
    )
    expect(new Set(found.map((one) => one.lifecycleStage)).size).toBeGreaterThanOrEqual(5)

    const lines = start.output().match(/^ +curl .*$/gm) ?? []
    expect(lines).toHaveLength(4)
    const [evidence, ...others] = lines
    const draft = /'(http[^']+\/evidence\/draft)'/.exec(evidence ?? '')?.[1] ?? ''
    const responses = others.map((line) => JSON.parse(execFileSync('bash', ['-c', line], { encoding: 'utf8' })))
    expect(responses[0].data.length).toBeGreaterThan(0)
    expect(responses[1]).toMatchObject({ status: 200 })
    expect(responses[2].status).toMatch(/created|inProgress|succeeded/)
    const headers = { authorization: `Bearer ${stack.tokens.account}`, accept: 'application/pdf' }
    const pdf = await until(
      'the evidence of a demo chargeback is built',
      async () => {
        const response = await fetch(draft, { headers })
        return response.ok && (await response.text())
      },
      { timeoutMs: 120_000 },
    )
    expect(pdf).toMatch(/^%PDF-/)

    expect(statSync(local.folder).mode & 0o777).toBe(0o700)
    expect(openToOthers(local.folder)).toEqual([])
    expect(openToOthers(realpathSync(join(local.folder, 'postgres')))).toEqual([])

    // API and worker can't change tables: only the owner can, who has disconnected after the migration.
    expect(new URL(stack.databaseUrl).username).toBe('recoup_app')
    expect(await rolesConnected(stack.databaseUrl)).toEqual({ roles: ['recoup_app'], owns: 0 })

    const stopped = Date.now()
    signalGroup(start.npm, 'SIGINT')
    await start.ended
    expect(await waitForEnd(pidsOf(stack), 500)).toBe(true)
    expect(Date.now() - stopped).toBeLessThan(10_000)
  }, 240_000)

  test('after kill -9, the next start adopts what is running, keeps everything, and stops all of it', async () => {
    await using local = await installLocally()
    const first = local.start()
    const before = await first.ready()
    const known = await chargebacksOnce(before, 60)
    signalGroup(first.npm, 'SIGKILL')
    await first.ended
    expect(pidsOf(before).every(isAlive)).toBe(true)

    // A server that only responds late, on a busy machine, must not be replaced.
    const temporal = before.processes.temporal as number
    process.kill(temporal, 'SIGSTOP')
    setTimeout(() => process.kill(temporal, 'SIGCONT'), 5_000)
    const second = local.start()
    const after = await second.ready()
    expect(after.processes).toEqual(before.processes)
    expect(after.tokens).toEqual(before.tokens)
    expect(new Set((await chargebacks(after)).map((one) => one.id))).toEqual(new Set(known.map((one) => one.id)))

    // Only npm is killed: the supervisor must not stay behind without a terminal.
    second.npm.kill('SIGKILL')
    await second.ended
    const third = local.start()
    const again = await third.ready()
    expect(again.processes).toEqual(before.processes)

    // A signal to npm alone has to reach the supervisor too.
    third.npm.kill('SIGTERM')
    await third.ended
    expect(await waitForEnd(pidsOf(before), 10_000)).toBe(true)
  }, 240_000)

  test('restarts a crashed worker and updates the stack file', async () => {
    await using local = await installLocally()
    const start = local.start('--empty')
    const stack = await start.ready()
    process.kill(stack.processes.worker ?? 0, 'SIGKILL')
    const file = join(local.folder, 'stack.json')
    const read = () => JSON.parse(readFileSync(file, 'utf8')) as StackFile
    for (const end = Date.now() + 10_000; read().processes.worker === stack.processes.worker; await pause(50))
      if (Date.now() > end) throw new Error(`the worker was not restarted:\n${start.output()}`)
    expect(isAlive(read().processes.worker ?? 0)).toBe(true)
    expect(start.output()).toContain('worker ended (SIGKILL)')

    // --empty: there are tokens and no integrations, and the printed commands connect the simulated account.
    expect(stack.integrations).toEqual([])
    expect(await chargebacks(stack)).toEqual([])
    const lines = start.output().match(/^ +curl .*$/gm) ?? []
    const responses = lines.map((line) => JSON.parse(execFileSync('bash', ['-c', line], { encoding: 'utf8' })))
    expect(responses[1]).toHaveProperty('integrationId')
    expect(await chargebacksOnce(stack, 10)).toHaveLength(10)
  }, 240_000)

  test.each(['simulators', 'postgres', 'worker'])(
    'leaves nothing behind if Ctrl-C comes as soon as %s is started',
    async (name) => {
      await using local = await installLocally()
      const start = local.start()
      while (!existsSync(join(local.folder, 'run', `${name}.json`)) && start.npm.exitCode === null) await pause(5)
      signalGroup(start.npm, 'SIGINT')
      await start.ended
      for (const variable of [
        'RECOUP_API_PORT',
        'RECOUP_API_METRICS_PORT',
        'RECOUP_POSTGRES_PORT',
        'RECOUP_TEMPORAL_PORT',
        'RECOUP_SIMULATORS_PORT',
      ])
        expect(await isFree(Number(local.env[variable])), variable).toBe(true)
      expect(readdirSync(join(local.folder, 'run'), { recursive: true })).toEqual([])
    },
    60_000,
  )

  test('a PSP with its own address is not simulated', async () => {
    await using local = await installLocally({ STRIPE_API_URL: 'http://127.0.0.1:9' })
    const stack = await local.start().ready()
    const others = ['adyen', 'braintree', 'paypal', 'recoup_sandbox']
    expect(Object.keys(stack.simulators).sort()).toEqual(others)
    expect(stack.integrations.map(({ source }) => source).sort()).toEqual(others)
  }, 240_000)

  test('production refuses a changed PSP address', async () => {
    await using local = await installLocally({ RECOUP_ENVIRONMENT: 'production', STRIPE_API_URL: 'http://127.0.0.1:9' })
    const start = local.start()
    expect(await start.ended).toBe(1)
    expect(start.output()).toMatch(/STRIPE_API_URL: allowed in the sandbox environment only/)
  })

  test.each([
    'RECOUP_API_PORT',
    'RECOUP_API_METRICS_PORT',
    'RECOUP_WORKER_PORT',
    'RECOUP_RECEIVER_PORT',
    'RECOUP_POSTGRES_PORT',
    'RECOUP_TEMPORAL_PORT',
    'RECOUP_TEMPORAL_UI_PORT',
    'RECOUP_SIMULATORS_PORT',
  ])(
    'a port in use is reported in one line that names %s',
    async (variable) => {
      await using local = await installLocally()
      const port = Number(local.env[variable])
      const squatter = createServer().listen(port, '127.0.0.1')
      const start = local.start()
      const code = await start.ended
      squatter.close()
      expect(code).toBe(1)
      const lines = start
        .output()
        .split('\n')
        .filter((line) => line.startsWith('Port '))
      expect(lines).toHaveLength(1)
      expect(lines[0]).toContain(`Port ${port}`)
      expect(lines[0]).toContain(variable)
    },
    60_000,
  )
})
