import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOwner } from '../../harness/database.ts'
import { createStage, type Stage } from '../api/stage.ts'
import { operatorsOf } from './audit-fixture.ts'

let stage: Stage
let operators: ReturnType<typeof operatorsOf>
let owner: { DATABASE_URL: string }
beforeAll(async () => {
  stage = await createStage()
  operators = operatorsOf(stage)
  owner = { DATABASE_URL: asOwner(stage.database.url) }
})
afterAll(() => stage[Symbol.asyncDispose]())

const fresh = { rowSecurity: 'on', off: [], compression: 'on', secondPerson: [] }

const newest = async () => (await operators.json('audit', 'list', '--limit', '1'))[0]

describe('database row-security', () => {
  const set = (to: string, env = {}) =>
    operators.recoup(['database', 'row-security', '--set', to, '--reason', 'Upgrade.', '--json'], env)

  test('is on in a new database, and is switched by the owner only, with a record in the audit trail', async () => {
    expect(await operators.json('database', 'status')).toEqual(fresh)
    expect(await set('off')).toMatchObject({ code: 1, err: expect.stringContaining('owner of the tables') })
    expect(await operators.json('database', 'status')).toEqual(fresh)

    const off = JSON.parse((await set('off', owner)).out)
    expect(off).toEqual({ rowSecurity: 'off', changed: expect.any(Number) })
    expect(await operators.json('database', 'status')).toMatchObject({ rowSecurity: 'off' })
    expect(await newest()).toMatchObject({
      ...{ action: 'database row-security', outcome: 'started', operator: 'alice', databaseRole: 'postgres' },
      ...{ subject: 'row-security', reason: 'Upgrade.', details: { enabled: false } },
    })
    expect(JSON.parse((await set('on', owner)).out)).toEqual({ rowSecurity: 'on', changed: off.changed })
    expect(JSON.parse((await set('on', owner)).out)).toEqual({ rowSecurity: 'on', changed: 0 })
    expect(await operators.json('database', 'status')).toEqual(fresh)
  })
})

describe('database compression', () => {
  const set = (to: string, env = {}) =>
    operators.recoup(['database', 'compression', '--set', to, '--reason', 'Upgrade.', '--json'], env)

  test('is on in a new database, and is switched by the owner only, with a record in the audit trail', async () => {
    expect(await set('off')).toMatchObject({ code: 1, err: expect.stringContaining('owner of the tables') })
    expect(await operators.json('database', 'status')).toEqual(fresh)
    expect(JSON.parse((await set('off', owner)).out)).toEqual({ compression: 'off', before: 'on' })
    expect(await operators.json('database', 'status')).toMatchObject({ compression: 'off' })
    expect(await newest()).toMatchObject({
      ...{ action: 'database compression', outcome: 'done', operator: 'alice', databaseRole: 'postgres' },
      ...{ subject: 'compression', reason: 'Upgrade.', details: { compression: 'off', before: 'on' } },
    })
    expect(JSON.parse((await set('on', owner)).out)).toEqual({ compression: 'on', before: 'off' })
  })
})

describe('database second-person', () => {
  const set = (groups: string, env = {}) =>
    operators.recoup(['database', 'second-person', '--for', groups, '--reason', 'The auditor.', '--json'], env)

  test('is set by the owner only, with a record in the audit trail that shows the value before', async () => {
    expect(await set('keys')).toMatchObject({ code: 1, err: expect.stringContaining('owner of the tables') })
    expect(JSON.parse((await set('keys', owner)).out)).toEqual({ secondPerson: ['keys'], before: [] })
    expect(JSON.parse((await set('keys, jobs', owner)).out)).toEqual({
      secondPerson: ['jobs', 'keys'],
      before: ['keys'],
    })
    expect(await newest()).toMatchObject({
      ...{ action: 'database second-person', outcome: 'done', operator: 'alice', databaseRole: 'postgres' },
      ...{ subject: 'second-person', reason: 'The auditor.', details: { for: ['jobs', 'keys'], before: ['keys'] } },
    })
    expect(await set('none')).toMatchObject({ code: 1 })
    expect(await operators.json('database', 'status')).toMatchObject({ secondPerson: ['jobs', 'keys'] })
    expect(JSON.parse((await set('none', owner)).out)).toMatchObject({ secondPerson: [] })
    expect(await set('all', owner)).toMatchObject({ code: 2, err: expect.stringContaining('some of jobs, keys') })
  })

  test('applies regardless of the operator’s environment variables', async () => {
    await set('keys', owner)
    for (const env of [{}, { RECOUP_SECOND_PERSON: '' }, { RECOUP_SECOND_PERSON: 'jobs' }]) {
      const rotate = await operators.recoup(['key', 'rotate', '--reason', 'Yearly.', '--json'], env)
      expect(JSON.parse(rotate.out)).toMatchObject({ requested: 'key rotate' })
    }
    await set('none', owner)
  })
})
