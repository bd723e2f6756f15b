import { expect, test } from 'vitest'
import { closedCasesOf } from '../../../db/chargebacks/closed-cases.ts'
import { connect } from '../../../db/core/connect.ts'

test('closed cases that could not be counted are counted again, and the failure is not cached', async () => {
  // Nothing listens there.
  const db = connect('postgres://nobody@127.0.0.1:1/none', { scope: 'system', max: 1 })
  const connection = { merchantUuid: 'm' }
  const [first, meanwhile] = [closedCasesOf(db, connection), closedCasesOf(db, connection)]
  expect(meanwhile).toBe(first)
  await expect(first).rejects.toThrow()
  const second = closedCasesOf(db, connection)
  expect(second).not.toBe(first)
  await expect(second).rejects.toThrow()
  await db.destroy()
})
