import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPollingFixture } from '../polling-fixture.ts'

let fixture: Awaited<ReturnType<typeof openPollingFixture>>
beforeAll(async () => {
  fixture = await openPollingFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())

/** An integration of an account with `count` disputes. @returns its poll, which reports results and statements */
async function poller(count: number, order = {}) {
  const account = `acct_statements${count}${Object.values(order).join('')}`
  await fixture.control('POST', '/disputes', { count, account, ...order })
  return (await fixture.merchantOf(account)).pollCounted
}

describe('statements of a poll', () => {
  test('a page of any size takes the same number, and a second page only its own', async () => {
    const [small, large, two] = [await poller(3), await poller(100), await poller(200)]
    const [three, hundred, pages] = [await small(), await large(), await two()]
    expect([three.created, hundred.created, pages.created, pages.pages]).toEqual([3, 100, 200, 2])
    expect(hundred.statements).toBe(three.statements)
    expect(pages.statements - hundred.statements).toBeLessThanOrEqual(5)
  })

  test('a page of any size whose disputes are due to be read again takes two more, and fetches none', async () => {
    const open = { status: 'needs_response' }
    const [small, large] = [await poller(4, open), await poller(90, open)]
    for (const poll of [small, large]) await poll()
    // Unchanged pages are not even compared.
    await fixture.db.deleteFrom('list_page').execute()
    const [undue] = [await small()]
    await fixture.db
      .updateTable('chargeback')
      .set({ reread_after: new Date(0) })
      .execute()
    await fixture.db
      .updateTable('list_page')
      .set({ due_at: new Date(0) })
      .execute()
    const [four, ninety] = [await small(), await large()]
    expect([four.statements - undue.statements, ninety.statements - four.statements]).toEqual([2, 0])
    expect([four.reread, ninety.reread, ninety.seen, ninety.changed]).toEqual([0, 0, 90, 0])
  })

  test('a page without changes is compared and moves the cursor, and writes no row', async () => {
    const poll = await poller(50)
    await poll()
    const again = await poll()
    expect(again).toMatchObject({ seen: 50, created: 0, changed: 0, quarantined: 0 })
    expect(
      fixture
        .statements()
        .filter((text) => /insert into chargeback|insert into raw_object|insert into quarantine/.test(text)),
    ).toEqual([])
  })

  test('a poll without news writes no cursor, in whichever order Postgres keeps the names of its fields', async () => {
    const poll = await poller(40, { status: 'won' })
    for (let n = 0; n < 2; n++) await poll()
    await poll()
    expect(fixture.statements().filter((text) => text.includes('"cursor" ='))).toEqual([])
  })
})
