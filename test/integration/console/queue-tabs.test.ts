import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installedBrowser } from '../../interface/reference-page.ts'
import { demoRows } from './demo-rows.ts'
import { signIn, textOf } from './scene.ts'
import { openShop } from './shop.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, the queue is not tried in several tabs')

describe.skipIf(!executable)('the queue in several tabs', () => {
  let visits: Visits
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', demoRows(Date.now(), { open: 60, decided: 20 }))
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())

  const open: Visits['open'] = (...visit) => visits.open(...visit)
  const totals = (page: Page) => textOf(page.locator('.totals'))

  it('a hidden tab asks nothing, however long; once it is seen it reads again', async () => {
    const { page, context } = await open('queue?pspStatus=needs_response')
    await page.locator('a.open').first().waitFor()
    await page.goto('about:blank')
    const hidden = await context.newPage()
    await hidden.clock.install()
    // A browser without a window has no hidden tabs.
    await hidden.addInitScript(`
      Object.defineProperty(document, 'visibilityState', { get: () => (window.isHidden ? 'hidden' : 'visible') })
    `)
    await hidden.goto(`${visits.shop.origin}/console/queue?pspStatus=needs_response`)
    await hidden.locator('a.open').first().waitFor()
    const turn = (isHidden: boolean) =>
      hidden.evaluate(`window.isHidden = ${isHidden}; document.dispatchEvent(new Event('visibilitychange'))`)
    await turn(true)
    const asked: string[] = []
    hidden.on('request', (request) => asked.push(request.url()))
    await hidden.clock.runFor(5 * 60_000)
    expect(asked).toEqual([])
    await turn(false)
    await expect.poll(() => asked.filter((url) => url.includes('/v1/events?')).length).toBeGreaterThan(0)
    await hidden.clock.runFor(2 * 60_000)
    await expect.poll(() => asked.filter((url) => url.includes('/v1/chargebacks?')).length).toBeGreaterThan(0)
  })

  it('views that one tab saves, renames and removes are those of the other tabs, too', async () => {
    const { page, context } = await open('queue?psp=adyen&pspStatus=needs_response')
    await page.locator('a.open').first().waitFor()
    const other = await context.newPage()
    await other.goto(`${visits.shop.origin}/console/queue?psp=paypal&pspStatus=needs_response`)
    await other.locator('a.open').first().waitFor()
    const names = (tab: Page) => tab.locator('optgroup option').allTextContents()
    const save = async (tab: Page, button: string, name: string) => {
      await tab.getByRole('button', { name: button }).click()
      await tab.getByLabel('Name', { exact: true }).fill(name)
      await tab.keyboard.press('Enter')
    }
    await save(page, 'Save view…', 'Of Adyen')
    await expect.poll(() => names(other)).toEqual(['Of Adyen'])
    await save(other, 'Save view…', 'Of PayPal')
    await expect.poll(() => names(page)).toEqual(['Of Adyen', 'Of PayPal'])
    await save(page, 'Rename…', 'All of Adyen')
    for (const tab of [page, other]) await expect.poll(() => names(tab)).toEqual(['All of Adyen', 'Of PayPal'])
    await save(page, 'Rename…', 'Of PayPal')
    for (const tab of [page, other]) await expect.poll(() => names(tab)).toEqual(['Of PayPal'])
    await page.getByRole('button', { name: 'Remove view' }).click()
    for (const tab of [page, other]) await expect.poll(() => names(tab)).toEqual([])
  })

  it('a view by due date over fifty rows tells the sums of all its rows', async () => {
    await using large = await openShop()
    const due = (n: number) => new Date(Date.now() + (n + 1) * 3_600_000)
    await large.add(Array.from({ length: 170 }, (_, n) => ({ due_date: due(n), amount_minor: BigInt(100 + n) })))
    const { page } = await open('queue?due=7', {}, 'work', large)
    // 168 hours, and the one that the next full hour begins with.
    const asked = await expect
      .poll(() => totals(page), { timeout: 20_000 })
      .toMatch(/^16[789] chargebacks · EUR/)
      .then(() => totals(page))
    const count = Number(/^\d+/.exec(asked)?.[0])
    const expected = Array.from({ length: count }, (_, n) => 100 + n).reduce((sum, one) => sum + one, 0) / 100
    expect(asked).toBe(`${count} chargebacks · EUR ${expected.toFixed(2)}`)
    expect(await page.locator('a.open').count()).toBeLessThan(count)
    // Before their shop closes.
    await visits.leave()
  })

  it('an export has the rights of the person whom the tab shows: once another has signed in, there is none', async () => {
    const { page, expects } = await open('queue?pspStatus=needs_response')
    expects(/status of 401/)
    // A request for events would notice the other person first.
    await page.route('**/v1/events?*', () => {})
    await page.reload()
    await page.locator('a.open').first().waitFor()
    let downloads = 0
    page.on('download', () => downloads++)
    const { token } = await visits.shop.issue('work', 'Tom')
    await page.evaluate(`fetch('/console/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: ${JSON.stringify(JSON.stringify({ token }))},
    }).then((response) => { if (!response.ok) throw new Error(response.status) })`)
    await page.getByRole('button', { name: 'Export CSV' }).click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    expect(downloads).toBe(0)
  })

  it('a session that nobody used for half an hour: the tab is blanked, and the sign-in leads back to its view', async () => {
    const { page, expects } = await open('queue?pspStatus=needs_response&psp=stripe')
    expects(/status of 401/)
    await page.locator('a.open').first().waitFor()
    const [address, rows] = [page.url(), await page.locator('a.open').count()]
    const half = new Date(Date.now() - 30 * 60_000 - 1_000)
    await visits.shop.stage.db.updateTable('console_session').set({ seen_at: half }).execute()
    // What the page reads by itself is no use of the session.
    await page.evaluate("window.dispatchEvent(new Event('focus'))")
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.waitFor()
    expect(await page.locator('.top-bar, .rail, table, a.open').count()).toBe(0)
    await ended.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page, (await visits.shop.issue('work', 'Jana')).token)
    await page.locator('a.open').first().waitFor()
    expect([page.url(), await page.locator('a.open').count()]).toEqual([address, rows])
  })

  it('a session that is revoked ends at the next act, and nothing is done', async () => {
    const { page, expects } = await open('queue?pspStatus=needs_response&psp=stripe')
    await page.locator('a.open').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByRole('button', { name: 'Fight…', exact: true }).click()
    expects(/status of 401/)
    await visits.shop.stage.db
      .updateTable('credential')
      .set({ revoked_at: new Date() })
      .where('name', '=', 'Jana')
      .execute()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Fight \(1\)/ })
      .click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    expect(await page.locator('a.open').count()).toBe(0)
  })
})
