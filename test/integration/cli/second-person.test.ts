import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createStage, type Stage } from '../api/stage.ts'
import { needSecondPerson, operatorsOf } from './audit-fixture.ts'

let stage: Stage
let operators: ReturnType<typeof operatorsOf>
beforeAll(async () => {
  stage = await createStage()
  operators = operatorsOf(stage)
})
afterAll(() => stage[Symbol.asyncDispose]())

const keys = async () => (await stage.db.selectFrom('signing_key').select('kid').execute()).length
const rotate = ['key', 'rotate', '--reason', 'Yearly.', '--json']
const requestRotation = async () => {
  await needSecondPerson(stage, ['jobs', 'keys'])
  const { out } = await operators.recoup(rotate)
  return JSON.parse(out)
}
const approve = (requestId: string, operator: string) =>
  operators.recoup(['approve', requestId, '--operator', operator])

describe('a second person', () => {
  test('is needed only if the setting says so', async () => {
    const before = await keys()
    expect((await operators.recoup(rotate)).code).toBe(0)
    await needSecondPerson(stage, ['jobs'])
    expect((await operators.recoup(rotate)).code).toBe(0)
    expect(await keys()).toBe(before + 2)
  })

  test.each(['alice', 'Alice', 'ALICE', 'ａｌｉｃｅ'])('cannot be the first one: %s', async (name) => {
    const before = await keys()
    const { requestId } = await requestRotation()
    expect(await approve(requestId, name)).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('another operator has to approve it') },
    })
    expect(await keys()).toBe(before)
  })

  test('approves once, within the hour', async () => {
    const before = await keys()
    const requested = await requestRotation()
    expect(requested).toMatchObject({ requested: 'key rotate', next: expect.stringContaining(requested.requestId) })
    expect(Math.round((Date.parse(requested.expiresAt) - Date.now()) / 60_000)).toBe(60)
    expect(await keys()).toBe(before)
    const [one, other] = await Promise.all([approve(requested.requestId, 'bob'), approve(requested.requestId, 'bob')])
    expect([one.code, other.code].toSorted()).toEqual([0, 1])
    expect(await keys()).toBe(before + 1)

    const late = await requestRotation()
    await sql`update operator_request set expires_at = now() where request_id = ${late.requestId}`.execute(stage.db)
    expect(await approve(late.requestId, 'bob')).toMatchObject({ code: 1, err: expect.stringContaining('has expired') })
    expect(await keys()).toBe(before + 1)
  })
})
