import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { Worker } from '@temporalio/worker'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WORKFLOWS } from '../../workflows/contract.ts'
import { bundleWorkflows } from '../../workflows/worker/bundle.ts'

/** Recorded by `npm run record-histories`; one per workflow, released version and interesting path, never deleted. */
const folder = join(import.meta.dirname, '../histories')
const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
const scratch = mkdtempSync(join(tmpdir(), 'recoup-replay-'))
const codePath = join(scratch, 'workflows.js')

beforeAll(async () => writeFileSync(codePath, await bundleWorkflows()), 120_000)
afterAll(() => rmSync(scratch, { recursive: true }))

type History = {
  events: {
    eventType: string
    eventTime: string
    activityTaskScheduledEventAttributes?: { activityType: { name: string } }
    activityTaskCompletedEventAttributes?: { result: { payloads: { data: string }[] } }
  }[]
}
const read = (file: string): History => JSON.parse(readFileSync(join(folder, file), 'utf8'))

async function replay(file: string, history: History): Promise<Error | undefined> {
  for await (const result of Worker.runReplayHistories({ workflowBundle: { codePath } }, [
    { workflowId: file, history },
  ]))
    if (result.error) return result.error
  return undefined
}

/** The recorded poll, as it would have gone with transactions to read: two slices of them, with six minutes in between. */
function longEnrichment(): History {
  const { events } = read('pollIntegration.completed.1.0.0.json')
  const [started, ingest, end] = [events.slice(0, 4), events.slice(4, 10), events.slice(10)]
  const slice = (activityId: string, name: string, minutes: number, result: object) =>
    structuredClone(ingest).map((event) => {
      const { activityTaskScheduledEventAttributes: scheduled, activityTaskCompletedEventAttributes: completed } = event
      if (scheduled) Object.assign(scheduled, { activityType: { name }, activityId })
      const data = Buffer.from(JSON.stringify(result)).toString('base64')
      for (const payload of completed?.result.payloads ?? []) payload.data = data
      return { ...event, eventTime: new Date(Date.parse(event.eventTime) + minutes * 60_000).toISOString() }
    })
  const pages = {
    pages: 1,
    seen: 1,
    created: 1,
    changed: 0,
    quarantined: 0,
    reread: 0,
    done: true,
    withoutContext: true,
  }
  const chain = [
    slice('1', 'ingestPages', 0, pages),
    slice('2', 'enrichChargebacks', 6, { enriched: 25, postponed: 0, done: false }),
    slice('3', 'enrichChargebacks', 7, { enriched: 1, postponed: 0, done: true }),
  ]
  // Each slice stands six events after the one before it, and names its own events by their ids.
  const moved = chain.flatMap((part, index) => JSON.parse(shifted(JSON.stringify(part), 6 * index)))
  return { events: [...started, ...moved, ...JSON.parse(shifted(JSON.stringify(end), 12))] }
}

const shifted = (text: string, by: number) =>
  text.replace(
    /"(eventId|scheduledEventId|startedEventId|workflowTaskCompletedEventId)":"(\d+)"/g,
    (_, name, id) => `"${name}":"${Number(id) + by}"`,
  )

describe('recorded histories', () => {
  test('there is at least one for each workflow', () => {
    for (const workflow of Object.keys(WORKFLOWS))
      expect(
        files.filter((file) => file.startsWith(`${workflow}.`)),
        workflow,
      ).not.toHaveLength(0)
  })

  for (const file of files)
    test(`${file} replays without a determinism error`, async () => {
      expect(await replay(file, read(file))).toBeUndefined()
    })

  test('a history that the code could not have made is found out', async () => {
    const file = files.find((name) => name.startsWith('acceptChargeback.')) as string
    const history = read(file)
    for (const event of history.events) {
      const type = event.activityTaskScheduledEventAttributes?.activityType
      if (type?.name === 'acceptAtPsp') type.name = 'submitAtPsp'
    }
    expect((await replay(file, history))?.message).toMatch(/TMPRL1100|[Nn]ondeterminism/)
  })

  test('a poll of an earlier version that read transactions for longer than five minutes goes on as it did', async () => {
    expect(await replay('pollIntegration.long', longEnrichment())).toBeUndefined()
  })

  test('histories can be written as JSON at all: one protobufjs in the tree', () => {
    expect(() => historyToJSON({ events: [] })).not.toThrow()
  })
})
