import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { Worker } from '@temporalio/worker'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundleWorkflows } from '../../workflows/bundle.ts'
import { WORKFLOWS } from '../../workflows/contract.ts'

/** Recorded by `npm run record-histories`; one per workflow, released version and interesting path, never deleted. */
const folder = join(import.meta.dirname, '../histories')
const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
const scratch = mkdtempSync(join(tmpdir(), 'recoup-replay-'))
const codePath = join(scratch, 'workflows.js')

beforeAll(async () => writeFileSync(codePath, await bundleWorkflows()))
afterAll(() => rmSync(scratch, { recursive: true }))

type History = {
  events: { eventType: string; activityTaskScheduledEventAttributes?: { activityType: { name: string } } }[]
}
const read = (file: string): History => JSON.parse(readFileSync(join(folder, file), 'utf8'))

async function replay(file: string, history: History): Promise<Error | undefined> {
  for await (const result of Worker.runReplayHistories({ workflowBundle: { codePath } }, [
    { workflowId: file, history },
  ]))
    if (result.error) return result.error
  return undefined
}

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

  test('histories can be written as JSON at all: one protobufjs in the tree', () => {
    expect(() => historyToJSON({ events: [] })).not.toThrow()
  })
})
