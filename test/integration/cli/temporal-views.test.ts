import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommandLine } from '../../../cli/run.ts'
import { temporalViews } from '../../../cli/temporal/views.ts'
import { COMMAND_STATES, SEARCH_ATTRIBUTES, WORKFLOWS } from '../../../workflows/contract.ts'
import { connectLazily } from '../../../workflows/starters/temporal.ts'
import { emptyNamespace, takeNamespace } from '../../harness/namespace.ts'
import { testServers } from '../../harness/servers.ts'
import { until } from '../../harness/until.ts'

let namespace: string
let client: ReturnType<typeof connectLazily>
beforeAll(async () => {
  namespace = await takeNamespace()
  client = connectLazily(testServers().temporalAddress, namespace)
})
afterAll(async () => {
  await emptyNamespace(client)
  await client.connection.close()
})

/** No worker runs, so a run stays open unless it is ended here. */
const start = (workflow: string, workflowId: string, state?: string, workflowRunTimeout = 3_600_000) =>
  client.workflow.start(workflow, {
    ...{ workflowId, taskQueue: 'nobody', workflowRunTimeout },
    typedSearchAttributes: state ? [{ key: SEARCH_ATTRIBUTES.CommandState, value: state }] : [],
  })

async function idsOf(query: string): Promise<string[]> {
  const ids: string[] = []
  for await (const run of client.workflow.list({ query })) ids.push(run.workflowId)
  return ids.sort()
}

async function run(args: string[], env: Record<string, string>) {
  const out: string[] = []
  const err: string[] = []
  const code = await runCommandLine(args, { env, out: (text) => out.push(text), err: (text) => err.push(text) })
  return { code, out: out.join('\n'), err: err.join('\n') }
}
const recoup = (...args: string[]) =>
  run(args, { DATABASE_URL: 'postgres://127.0.0.1:1/none', TEMPORAL_NAMESPACE: namespace })

/** View → the ids that the query of its link finds. */
async function opened(links: string): Promise<Record<string, string[]>> {
  const views = JSON.parse(links) as { view: string; link: string }[]
  const found = views.map(async ({ view, link }) => [
    view,
    await idsOf(new URL(link).searchParams.get('query') as string),
  ])
  return Object.fromEntries(await Promise.all(found))
}

describe('recoup temporal views', () => {
  test('each link opens the runs that it names, at a real Temporal server', async () => {
    const { acceptChargeback, submitEvidence, pollIntegration, pollShard, reconcile } = WORKFLOWS
    await start(acceptChargeback, 'accept open', COMMAND_STATES.inProgress)
    await start(submitEvidence, 'submit due soon', COMMAND_STATES.dueSoon)
    await start(submitEvidence, 'submit flagged', COMMAND_STATES.needsAttention)
    const stopped = await start(acceptChargeback, 'accept terminated', COMMAND_STATES.inProgress)
    await stopped.terminate('by an operator')
    await start(pollIntegration, 'poll running')
    await start(pollShard, 'shard running')
    await start(pollIntegration, 'poll timed out', undefined, 1_000)
    const ended = await start(pollIntegration, 'poll terminated')
    await ended.terminate('by an operator')
    await start(reconcile, 'reconcile')

    const { code, out, err } = await recoup('temporal', 'views', '--ui', 'https://temporal.example/', '--json')
    expect({ code, err }).toEqual({ code: 0, err: '' })
    await until('all are visible', () => opened(out), {
      holds: (found) => found['polls failing']?.length === 1 && found['commands open']?.length === 3,
    })
    expect(await opened(out)).toEqual({
      'commands open': ['accept open', 'submit due soon', 'submit flagged'],
      'due soon': ['submit due soon'],
      'needs attention': ['accept terminated', 'submit flagged'],
      'polls failing': ['poll timed out'],
    })
    const later = temporalViews(new Date(Date.now() + 11 * 60_000)).find(({ view }) => view === 'polls failing')
    expect(await idsOf(later?.query ?? '')).toEqual(['poll running', 'poll timed out', 'shard running'])
    const [{ link }] = JSON.parse(out)
    expect(link).toMatch(new RegExp(`^https://temporal\\.example/namespaces/${namespace}/workflows\\?query=\\S+$`))
  })

  test('prints each link unbroken, and reads nothing from Postgres', async () => {
    const { out } = await recoup('temporal', 'views', '--ui', 'http://localhost:8233')
    const links = out.split('\n').filter((line) => line.startsWith('http://localhost:8233/namespaces/'))
    expect(links.filter((link) => URL.canParse(link))).toHaveLength(temporalViews(new Date()).length)
  })

  test('finds the UI of `npm start` and of Temporal Cloud, and asks for any other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recoup-views-'))
    const databaseUrl = 'postgres://127.0.0.1:1/own'
    writeFileSync(join(folder, 'stack.json'), JSON.stringify({ databaseUrl, temporalUiUrl: 'http://127.0.0.1:8080' }))
    const links = async (env: Record<string, string>) => {
      const { out, err } = await run(['temporal', 'views'], env)
      return out.match(/^https?:\/\/[^/]+/m)?.[0] ?? err
    }
    expect(await links({ RECOUP_DATA_FOLDER: folder })).toBe('http://127.0.0.1:8080')
    const elsewhere = { RECOUP_DATA_FOLDER: folder, TEMPORAL_ADDRESS: 'temporal.example:7233' }
    expect(await links(elsewhere)).toContain('--ui is missing')
    expect(await links({ DATABASE_URL: databaseUrl.replace('own', 'other'), RECOUP_DATA_FOLDER: folder })).toContain(
      '--ui is missing',
    )
    const cloud = { DATABASE_URL: databaseUrl, TEMPORAL_ADDRESS: 'shop.a1b2c.tmprl.cloud:7233' }
    expect(await links(cloud)).toBe('https://cloud.temporal.io')
    expect(await recoup('temporal', 'views', '--ui', 'localhost:8233')).toMatchObject({
      ...{ code: 2, err: expect.stringContaining('--ui must be an http or https address') },
    })
  })
})
