import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readKeyRing } from '../../../db/core/seal.ts'
import { confirmKeys, noteKeys } from '../../../db/core/sealing-keys.ts'
import { startChild } from '../../harness/child.ts'
import { workflowBundle } from '../../harness/workflow-bundle.ts'
import { createStage, type Stage } from '../api/stage.ts'
import { needSecondPerson, operatorsOf } from '../cli/audit-fixture.ts'

let stage: Stage
let operators: ReturnType<typeof operatorsOf>
beforeAll(async () => {
  stage = await createStage()
  operators = operatorsOf(stage)
  await noteKeys(stage.db, stage.ring)
})
afterAll(() => stage[Symbol.asyncDispose]())

const next = `next:${randomBytes(32).toString('base64')}`
const MESSAGE = /\d+ sealed values need the key test, which is not in the key ring.*key reseal/
const both = () => ({ RECOUP_ENCRYPTION_KEYS: `${next},${stage.keys}` })
const status = async (env: Record<string, string>) =>
  JSON.parse((await operators.recoup(['key', 'status', '--json'], env)).out)

describe('a key that rows still need', () => {
  test('is missing: api and worker refuse to start', async () => {
    const env = { DATABASE_URL: stage.database.url, RECOUP_ENCRYPTION_KEYS: next, TEMPORAL_ADDRESS: '127.0.0.1:1' }
    const ports = { RECOUP_API_PORT: '0', RECOUP_WORKER_PORT: '0' }
    const bundle = { RECOUP_WORKFLOW_BUNDLE: await workflowBundle() }
    const children = ['api/main.ts', 'workflows/worker/main.ts'].map((entry) =>
      startChild(entry, { ...env, ...ports, ...bundle }),
    )
    expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([1, 1])
    for (const { lines } of children) expect(lines.join('\n')).toMatch(MESSAGE)
  })

  test('is counted, replaced by two operators, and can then be removed', async () => {
    const before = await status(both())
    expect(before).toMatchObject([
      { key: 'next', ring: 'seals', rows: 0 },
      { key: 'test', ring: 'opens', rows: expect.any(Number) },
    ])
    await needSecondPerson(stage, ['keys'])
    const two = both()
    const requested = await operators.recoup(['key', 'reseal', '--reason', 'The old key leaked.', '--json'], two)
    const { requestId } = JSON.parse(requested.out)
    expect(await status(both())).toEqual(before)
    expect((await operators.recoup(['approve', requestId, '--operator', 'bob'], two)).out).toMatch(/^test +opens +0$/m)
    expect(await status({ RECOUP_ENCRYPTION_KEYS: next })).toEqual([
      { key: 'next', ring: 'seals', rows: before[1].rows },
    ])
    await confirmKeys(stage.db, readKeyRing(next))
    const trail = await operators.json('audit', 'list', '--action', 'key reseal')
    expect(trail.map(({ operator, outcome }: Record<string, string>) => [operator, outcome])).toEqual([
      ['alice', 'done'],
      ['bob', 'approved'],
      ['alice', 'requested'],
    ])
    expect(trail[0].details).toMatchObject({ resealed: before[1].rows, unreadable: 0, left: { test: 0 } })
  })

  test('is required again once new rows use it', async () => {
    await confirmKeys(stage.db, readKeyRing(`${stage.keys},${next}`))
    await stage.newMerchant(stage.accountId)
    await expect(confirmKeys(stage.db, readKeyRing(next))).rejects.toThrow(MESSAGE)
  })
})
