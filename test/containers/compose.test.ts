import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { quietPorts } from '../../process/ports.ts'
import { composedServices } from '../harness/installation/compose-file.ts'
import { type DemoLog, listOf, paste, readDemoLog, uploadPdf } from '../harness/installation/demo.ts'
import { until } from '../harness/until.ts'
import { missingEngine, openProject, type Project } from './compose.ts'

/** `npm run test:containers`: docker-compose.yml in real containers, used as the README says. */
const missing = missingEngine()
if (missing) console.warn(`SKIPPED: Compose in real containers: ${missing}`)

const PSPS = ['stripe', 'paypal', 'braintree', 'adyen', 'recoup_sandbox']
const CONFINED = ['temporal', 'api', 'worker', 'simulators']
/** Kills the child process of init, as a crash would. */
const CRASH = `for (const id of fs.readdirSync('/proc').filter(Number)) try {
  if (fs.readFileSync('/proc/' + id + '/stat', 'utf8').split(') ')[1].split(' ')[1] === '1') process.kill(+id, 'SIGKILL')
} catch {}`

describe.skipIf(missing)('docker compose', () => {
  let project: Project
  let apiUrl: string
  let demo: DemoLog
  const known = new Map<string, string[]>()
  const tried = new Set<string>()

  beforeAll(async () => {
    const [api = 0, temporalUi = 0, simulators = 0] = await quietPorts(3)
    apiUrl = `http://127.0.0.1:${api}/v1`
    project = await openProject({ api, temporalUi, simulators })
    await project.start()
  }, 1_800_000)
  afterAll(async () => {
    await project?.[Symbol.asyncDispose]()
  }, 120_000)

  const demoEnded = () =>
    until(
      'the demo has logged its lines',
      async () => readDemoLog(await project.compose('logs', '--no-color', 'demo')),
      { timeoutMs: 120_000 },
    )

  async function idsOf(psp: string): Promise<string[]> {
    return (await listOf(apiUrl, demo.token, psp)).map(({ id }) => id).sort()
  }

  /** Accepts a chargeback that was not tried before, until the PSP has confirmed it. */
  async function acceptAnother(): Promise<void> {
    const headers = { authorization: `Bearer ${demo.token}` }
    for (const { id } of (await listOf(apiUrl, demo.token, 'stripe')).filter(isOpen)) {
      tried.add(id)
      const url = `${apiUrl}/chargebacks/${id}/accept`
      const { ok } = await fetch(url, { method: 'POST', headers })
      // Past its due date, or in a stage without acceptance.
      if (!ok) continue
      const status = async () => ((await (await fetch(url, { headers })).json()) as { status: string }).status
      const end = await until('the acceptance ends', status, { timeoutMs: 90_000, holds: hasEnded })
      expect(end).toBe('succeeded')
      return
    }
    throw new Error('no chargeback is left to accept')
  }
  const isOpen = ({ id, pspStatus }: { id: string; pspStatus: string }) =>
    pspStatus === 'needs_response' && !tried.has(id)
  const hasEnded = (status: string) => ['succeeded', 'failed'].includes(status)

  /** By the health check of the service, in its container. */
  const healthy = (name: string) => {
    const check = composedServices().find((service) => service.name === name)?.healthCheck ?? []
    return until(`${name} is healthy`, () => project.exec(name, ...check), { holds: () => true, timeoutMs: 120_000 })
  }

  test('starts a demo with chargebacks of five PSPs', async () => {
    demo = await demoEnded()
    for (const psp of PSPS) {
      await until(`${psp} has its chargebacks`, () => idsOf(psp), { holds: (ids) => ids.length === 60 })
      known.set(psp, await idsOf(psp))
    }
  })

  test('the three lines of the README can be pasted', async () => {
    const [list = '', accept = '', status = ''] = demo.lines
    expect(list).toContain(apiUrl)
    expect(paste(list).data).toHaveLength(10)
    expect(paste(accept)).toMatchObject({ status: 200 })
    await until('the acceptance succeeded', () => paste(status).status, { holds: (one) => one === 'succeeded' })
    tried.add(paste(status).id)
  })

  test('a file process reads an upload', async () => expect(await uploadPdf(apiUrl, demo.token)).toBe(201))

  test('the command line runs in a container', async () => {
    const listed = await project.exec('api', 'npm', 'run', '--silent', 'recoup', '--', 'account', 'list', '--json')
    expect(JSON.parse(listed)).toMatchObject([{ name: 'Demo' }])
  })

  test('api and worker are connected as the role that may not alter tables', async () => {
    const query = 'select distinct usename from pg_stat_activity where client_addr is not null'
    const psql = ['psql', '--username=recoup', '--dbname=recoup', '--tuples-only', '--no-align', '--command', query]
    expect((await project.exec('postgres', ...psql)).trim()).toBe('recoup_app')
  })

  test.each(CONFINED)('%s has no capability, a read-only file system and nothing to execute in /tmp', async (name) => {
    const script = `grep -h ^Cap /proc/1/status; id -un; touch /app-was-writable; cp /bin/true /tmp/ && /tmp/true`
    const shown = await project.exec(name, 'sh', '-c', `{ ${script}; } 2>&1; true`)
    expect(shown.match(/^Cap(Inh|Prm|Eff|Bnd):\s+0+$/gm)).toHaveLength(4)
    expect(shown).toMatch(/^node$/m)
    expect(shown).toMatch(/Read-only file system/)
    expect(shown).toMatch(/Permission denied/)
  })

  test('all data are kept after down and up, and no real PSP is called meanwhile', async () => {
    await project.compose('--profile', 'demo', 'down')
    await project.compose('up', '--detach')
    expect((await project.exec('worker', 'printenv', 'STRIPE_API_URL')).trim()).toBe('http://simulators:12111')
    await project.compose('--profile', 'demo', 'up', '--detach')
    const again = await demoEnded()
    expect(again.token).toBe(demo.token)
    for (const psp of PSPS) expect(await idsOf(psp), psp).toEqual(known.get(psp))
    await acceptAnother()
  })

  test('a simulated PSP causes an event, and the log prints it', async () => {
    const recoup = (...words: string[]) => project.exec('api', 'npm', 'run', '--silent', 'recoup', '--', ...words)
    const caused = await recoup('trigger', 'chargeback.won', '--control', 'http://simulators:12110')
    expect(caused).toMatch(/ chargeback\.created .*\n.* chargeback\.won /)
    const printed = await recoup('listen', '--all', '--types', 'chargeback.won', '--limit', '1')
    expect(printed).toContain(' chargeback.won ')
  })

  test.each([...CONFINED, 'postgres'])('%s comes back after a crash', async (name) => {
    const started = () => project.exec(name, 'cut', '-d ', '-f22', '/proc/1/stat')
    const before = await started()
    // The command's own connection ends with the container.
    await project
      .exec(name, ...(name === 'postgres' ? ['bash', '-c', 'kill -QUIT 1'] : ['node', '-e', CRASH]))
      .catch(() => {})
    await until(`${name} has started again`, started, { holds: (now) => now !== before, timeoutMs: 120_000 })
    await healthy(name)
    await until('the API responds', () => idsOf('stripe'), { holds: (ids) => ids.length === 60 })
    await acceptAnother()
  })
})
