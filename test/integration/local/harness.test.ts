import { Client, Connection } from '@temporalio/client'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { createDatabase } from '../../harness/database.ts'
import { takeNamespace } from '../../harness/namespace.ts'
import { testServers } from '../../harness/servers.ts'

describe('test harness', () => {
  test('a database is migrated, empty and not shared', async () => {
    await using one = await createDatabase()
    await using other = await createDatabase()
    const client = new pg.Client(one.url)
    await client.connect()
    await client.query(`set recoup.scope = 'system'`)
    await client.query(`insert into account (account_id, name) values (gen_random_uuid(), 'a')`)
    await client.end()
    const second = new pg.Client(other.url)
    await second.connect()
    await second.query(`set recoup.scope = 'system'`)
    const { rows } = await second.query('select count(*)::int as count from account')
    await second.end()
    expect(rows).toEqual([{ count: 0 }])
  })

  test('a namespace is not shared and has the search attributes', async () => {
    const [one, other] = [await takeNamespace(), await takeNamespace()]
    expect(one).not.toBe(other)
    const connection = await Connection.connect({ address: testServers().temporalAddress })
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: one })
    await new Client({ connection, namespace: one }).workflow.count(`CommandState = 'open'`)
    await connection.close()
    expect(Object.keys(customAttributes)).toEqual(expect.arrayContaining(['MerchantId', 'CommandState', 'EffectiveAt']))
  })
})
