import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installedBrowser } from '../../interface/reference-page.ts'
import { textOf } from './scene.ts'
import { openShop } from './shop.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, rows of the queue are not tried')

describe.skipIf(!executable)('rows of the queue', () => {
  let visits: Visits
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())
  const open: Visits['open'] = (...visit) => visits.open(...visit)

  it('several at once: each is read again before the act, and nothing is done to what changed', async () => {
    const { db } = visits.shop.stage
    const [seen = '', raced = '', same = ''] = await visits.shop.add(
      [41, 42, 43].map((amount) => ({ psp: 'braintree', currency: 'GBP', amount_minor: BigInt(amount * 100) })),
    )
    const { page, expects } = await open('queue?pspStatus=needs_response&currency=GBP')
    expects(/status of 412/)
    const keys: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET') keys.push(request.headers()['idempotency-key'] ?? 'none')
    })
    await page.locator('a.open').nth(2).waitFor()
    for (const id of [seen, raced, same])
      await page
        .locator('tr', { has: page.locator(`[data-id="${id}"]`) })
        .getByRole('checkbox')
        .check()
    // Both unknown to the page: one changes before the act is confirmed, one between its reading and the act.
    const raise = (id: string) =>
      db.updateTable('chargeback').set({ amount_minor: 9_900n }).where('id', '=', id).execute()
    await raise(seen)
    // Accepting is no act on several: what it costs differs in each row.
    expect(await page.locator('.bulk').getByRole('button').allTextContents()).toEqual([
      ...['Fight…', "Don't fight…", 'Hold automatic submission…', 'Review one by one ›', 'Clear'],
    ])
    await page.route(`**/chargebacks/${raced}/should-fight`, async (route) => {
      await raise(raced)
      await route.continue()
    })
    await page.getByRole('button', { name: "Don't fight…" }).click()
    await page.getByRole('dialog').getByRole('button', { name: "Don't fight (3)" }).click()
    await page.getByText('braintree GBP\u00a041.00: It changed meanwhile: the amount. Look at it again.').waitFor()
    await page.getByText('braintree GBP\u00a042.00: It changed while you confirmed, so nothing was done.').waitFor()
    await page.getByText('2 selected').waitFor()
    const decided = await db.selectFrom('chargeback').select('id').where('should_fight', '=', false).execute()
    expect(decided.map(({ id }) => id)).toEqual([same])
    // As they are now, the person may decide about them; a hold is read before, too.
    await page.unrouteAll()
    await expect.poll(() => textOf(page.locator('.bulk'))).toContain('GBP 198.00')
    await raise(same)
    const asked = page.waitForRequest((request) => request.method() === 'GET' && request.url().includes(`/${seen}?`))
    await page.getByRole('button', { name: 'Hold automatic submission…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Hold (2)' }).click()
    await asked
    await page.locator('.bulk').waitFor({ state: 'detached' })
    // Two decisions were sent, and two holds.
    expect([keys.length, new Set(keys).size, keys.includes('none')]).toEqual([4, 4, false])
  })

  it('several at once: the reason of one that was not done stays when its row has left the list', async () => {
    const { db } = visits.shop.stage
    const [, answered = ''] = await visits.shop.add(
      [51, 52].map((amount) => ({ currency: 'CHF', amount_minor: BigInt(amount * 100) })),
    )
    const { page } = await open('queue?pspStatus=needs_response&currency=CHF')
    await page.locator('a.open').nth(1).waitFor()
    for (const box of await page.getByRole('checkbox', { name: /^Select/ }).all()) await box.check()
    await db.updateTable('chargeback').set({ psp_status: 'under_review' }).where('id', '=', answered).execute()
    await page.getByRole('button', { name: "Don't fight…" }).click()
    await page.getByRole('dialog').getByRole('button', { name: "Don't fight (2)" }).click()
    await page.locator(`[data-id="${answered}"]`).waitFor({ state: 'detached' })
    const reason = page.getByText('Stripe CHF\u00a052.00: It changed meanwhile: the status at the PSP.')
    await reason.waitFor()
    expect(await textOf(page.locator('.bulk'))).not.toContain('selected')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.locator('.bulk').waitFor({ state: 'detached' })
  })

  it('several at once: the confirmation is about what was selected when it opened, and stays when the rows leave', async () => {
    const { change, stage } = visits.shop
    const [dearer = '', other = ''] = await visits.shop.add(
      [61, 62].map((amount) => ({ currency: 'NOK', amount_minor: BigInt(amount * 100) })),
    )
    const { page } = await open('queue?pspStatus=needs_response&currency=NOK')
    await page.locator('a.open').nth(1).waitFor()
    for (const box of await page.getByRole('checkbox', { name: /^Select/ }).all()) await box.check()
    await page.getByRole('button', { name: "Don't fight…" }).click()
    const dialog = page.getByRole('dialog')
    await change(dearer, { amount_minor: 9_900n }, 'details changed')
    await expect.poll(() => textOf(page.locator('.bulk'))).toContain('NOK 161.00')
    expect(await textOf(dialog)).toContain('2 chargebacks, NOK 123.00.')
    for (const id of [dearer, other]) await change(id, { psp_status: 'under_review' }, 'psp_status_changed')
    await page.locator('a.open').first().waitFor({ state: 'detached' })
    expect(await textOf(dialog)).toContain('2 chargebacks, NOK 123.00.')
    await dialog.getByRole('button', { name: "Don't fight (2)" }).click()
    await page.getByText('NOK\u00a061.00: It changed meanwhile: the amount, the status at the PSP.').waitFor()
    await page.getByText('NOK\u00a062.00: It changed meanwhile: the status at the PSP.').waitFor()
    const decided = stage.db.selectFrom('chargeback').select('id').where('should_fight', 'is not', null)
    expect(await decided.where('id', 'in', [dearer, other]).execute()).toEqual([])
  })

  it('sums of all rows are read once a minute however often the list is, and not while nothing changes', async () => {
    await using large = await openShop()
    const due = (n: number) => new Date(Date.now() + (n + 24) * 3_600_000)
    const ids = await large.add(Array.from({ length: 120 }, (_, n) => ({ due_date: due(n), amount_minor: 100n })))
    const { page } = await open('queue?due=7', {}, 'work', large)
    const totals = () => textOf(page.locator('.totals'))
    let sums = 0
    // The list itself is asked for 50, and further ones only when they come near.
    page.on('request', (request) => {
      if (/\/v1\/chargebacks\?.*limit=1(00|0)&/.test(`${request.url()}&`)) sums++
    })
    await page.reload()
    await expect.poll(totals).toBe('120 chargebacks · EUR 120.00')
    const once = sums
    expect(once).toBe(3)
    for (const amount of [200n, 300n]) {
      await large.change(ids[0] ?? '', { amount_minor: amount }, 'psp_status_changed')
      await page
        .locator('td.amount')
        .first()
        .getByText(`${amount / 100n}.00`)
        .waitFor()
    }
    expect(sums).toBe(once)
    await expect.poll(totals, { timeout: 90_000 }).toBe('120 chargebacks · EUR 122.00')
    expect(sums).toBe(2 * once)
    // Events go on and report nothing, so the list is read after a minute, and it alone.
    await page.waitForResponse(/v1\/chargebacks\?.*limit=50/, { timeout: 120_000 })
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    expect(sums).toBe(2 * once)
    // Before their shop closes.
    await visits.leave()
  })

  it('rows that are loaded while earlier ones are read again stay', async () => {
    await using large = await openShop()
    const due = (n: number) => new Date(Date.now() + (n + 24) * 3_600_000)
    const ids = await large.add(Array.from({ length: 350 }, (_, n) => ({ due_date: due(n) })))
    const { page } = await open('queue?pspStatus=needs_response', {}, 'work', large)
    const count = () => page.locator('a.open').count()
    // Without scrolling, which would load a further page.
    const more = async (rows: number) => {
      await page.getByRole('button', { name: 'Load more' }).dispatchEvent('click')
      await expect.poll(count).toBe(rows)
    }
    await more(150)
    await expect.poll(() => textOf(page.locator('.said').first())).toBe('150 chargebacks, there are more')
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let isHeld = false
    // What the page reads again by itself has to wait; what the person causes does not.
    await page.route('**/v1/chargebacks?*cursor=*', async (route) => {
      if ((await route.request().headerValue('x-console-background')) !== null) {
        isHeld = true
        await released
      }
      await route.continue()
    })
    await page.evaluate("window.dispatchEvent(new Event('focus'))")
    await expect.poll(() => isHeld).toBe(true)
    await more(250)
    const { db } = large.stage
    await db
      .updateTable('chargeback')
      .set({ amount_minor: 98_765n })
      .where('id', '=', ids[200] ?? '')
      .execute()
    release()
    await page.locator('tr', { hasText: '987.65' }).waitFor()
    expect(await count()).toBe(250)
    // Acts on several are for 100 at most.
    await page.evaluate(
      "[...document.querySelectorAll('.queue td.pick input')].slice(0, 101).forEach((box) => box.click())",
    )
    await page.getByText('At most 100 at a time: 101 are selected.').waitFor()
    const fight = page.getByRole('button', { name: 'Fight…', exact: true })
    expect(await fight.getAttribute('aria-disabled')).toBe('true')
    await fight.dispatchEvent('click')
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.locator('.queue td.pick input').first().uncheck()
    await fight.and(page.locator('[aria-disabled="false"]')).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Fight (100)' }).waitFor()
    // Before their shop closes.
    await visits.leave()
  })

  it('an export that fails has its id and another try; rows that load are as high as those that are there', async () => {
    await visits.shop.add([{ psp_status: 'needs_response', currency: 'NOK' }])
    const { page, expects } = await open('queue?pspStatus=needs_response&currency=NOK')
    await page.locator('a.open').waitFor()
    expects(/status of 500/)
    const json = { code: 'internal_error', message: 'There is no export.', errorId: 'error-4713' }
    await page.route(/\/chargebacks\/export/, (route) => route.fulfill({ status: 500, json }))
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const failed = page.locator('.export').getByRole('alert')
    await failed.getByText('There is no export.').waitFor()
    expect(await failed.getByLabel('the error id', { exact: true }).inputValue()).toBe('error-4713')
    await page.unrouteAll()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      failed.getByRole('button', { name: 'Try again' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('chargebacks.csv')
    await failed.waitFor({ state: 'detached' })

    const placeOf = async (of: string, nth = 0) => {
      const place = await page.locator(of).nth(nth).boundingBox()
      return place ?? { y: Number.NaN, height: Number.NaN }
    }
    const { height } = await placeOf('.queue tbody tr:not(.group)')
    expect(height).toBe(36)
    await page.route(/\/console\/v1\/chargebacks\?/, () => {})
    await page.reload()
    await page.locator('.skeleton-row').nth(1).waitFor()
    const [first, second] = [await placeOf('.skeleton-row'), await placeOf('.skeleton-row', 1)]
    expect(second.y - first.y).toBe(height)
  })

  it('out of scope: each row tells which rule, decision or contract left it out', async () => {
    const decided = (decision: object) => ({
      ...{ psp_status: 'needs_response', status: 'not_represented', currency: 'SEK' },
      scope_decision: JSON.stringify({ inScope: false, ...decision }),
    })
    await visits.shop.add([
      decided({ by: 'scope_rule', version: 2, dimension: 'reasonCodes', value: '10.4 <b>' }),
      decided({ by: 'should_fight' }),
      decided({ by: 'contract' }),
    ])
    const { page } = await open('queue?inScope=false&currency=SEK')
    await page.getByRole('columnheader', { name: 'Why' }).waitFor()
    const whys = page.locator('td.why')
    await expect
      .poll(async () => (await whys.allTextContents()).sort())
      .toEqual(['Decided not to fight', 'Not fought by default', 'Reason codes: 10.4 <b>'])
    await page.getByLabel('View', { exact: true }).selectOption({ label: 'All open' })
    await expect.poll(() => whys.count()).toBe(0)
    expect(await page.getByRole('columnheader', { name: 'Why' }).count()).toBe(0)
  })
})
