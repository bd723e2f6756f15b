import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installedBrowser } from '../../interface/reference-page.ts'
import { demoRows } from './demo-rows.ts'
import { openScene, signIn, textOf } from './scene.ts'
import { openShop } from './shop.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, the queue is not tried in a browser')

describe.skipIf(!executable)('the queue', () => {
  let visits: Visits
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', demoRows(Date.now(), { open: 60, decided: 120 }))
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())

  const open: Visits['open'] = (...visit) => visits.open(...visit)
  const list = async (query: string) =>
    (await visits.shop.stage.call('GET', `/v1/chargebacks?limit=100&${query}`)).body.data
  const rowIds = (page: Page) =>
    page.locator('a.open').evaluateAll((links) => links.map((link) => link.getAttribute('data-id')))
  const totals = (page: Page) => textOf(page.locator('.totals'))

  it('views, filters, sort and search are the address: another person who opens it sees the same', async () => {
    const { page } = await open('queue')
    await page.locator('a.open').first().waitFor()
    await page.getByLabel('View', { exact: true }).selectOption('All open')
    await page.locator('summary', { hasText: /^PSP/ }).click()
    await page.getByRole('checkbox', { name: /^Adyen/ }).check()
    await page.getByRole('checkbox', { name: /^PayPal/ }).check()
    await page.keyboard.press('Escape')
    await page.locator('summary', { hasText: 'Amount' }).click()
    await page.getByLabel('From').fill('10')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Choose the currency').waitFor()
    await page.getByLabel('Currency').selectOption('EUR')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Amount/ }).click()
    await page.locator('th[aria-sort="descending"]').waitFor()
    expect(await page.locator('[aria-sort]').allTextContents()).toEqual(['Amount ▼'])
    const query = 'pspStatus=needs_response&psp=adyen,paypal&currency=EUR&minAmount=10&sort=-amount'
    const expected = (await list(query)).map(({ id }: { id: string }) => id)
    expect(expected.length).toBeGreaterThan(3)
    await expect.poll(() => rowIds(page)).toEqual(expected)

    const other = await open(new URL(page.url()).pathname.slice('/console/'.length) + new URL(page.url()).search)
    await expect.poll(() => rowIds(other.page)).toEqual(expected)

    await page.getByRole('button', { name: 'Save view…' }).click()
    await page.getByLabel('Name').fill('Large in euros')
    await page.keyboard.press('Enter')
    await page.goto(`${visits.shop.origin}/console/queue`)
    await page.getByLabel('View', { exact: true }).selectOption('Large in euros')
    await expect.poll(() => rowIds(page)).toEqual(expected)
    await page.getByRole('button', { name: 'Remove view' }).click()
    await page.goBack()
    await expect
      .poll(() => page.getByLabel('View', { exact: true }).locator('option').allTextContents())
      .not.toContain('Large in euros')

    const [one] = await list('pspStatus=won')
    await page.keyboard.press('/')
    await page.keyboard.type(one.id)
    await page.keyboard.press('Enter')
    await expect.poll(() => rowIds(page)).toEqual([one.id])
    expect(await page.title()).not.toContain(one.id)
  })

  it('what matches nothing says so and leads on; what the API refuses is told in its words', async () => {
    const { page, expects } = await open('queue?psp=klarna')
    await page.getByText('No chargeback matches').waitFor()
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await page.locator('a.open').first().waitFor()
    expects(/status of 400/)
    await page.goto(`${visits.shop.origin}/console/queue?psp=nonsense`)
    await page.getByText('psp: Must be among').waitFor()
  })

  it('a person goes through selected ones by keys, and decides about several at once', async () => {
    const { page } = await open('queue?pspStatus=needs_response')
    await page.locator('a.open').first().waitFor()
    const [first, second, third] = (await rowIds(page)) as [string, string, string]
    for (const key of ['j', 'x', 'j', 'j', 'x']) await page.keyboard.press(key)
    await page.getByText('2 selected').waitFor()
    await page.getByRole('button', { name: /^Review one by one/ }).click()
    await page.getByText('1 of 2').waitFor()
    expect(page.url()).toContain(first)
    await page.keyboard.press('J')
    await page.getByText('2 of 2').waitFor()
    expect(page.url()).toContain(third)
    await page.keyboard.press('K')
    await page.getByText('1 of 2').waitFor()
    expect(page.url()).toContain(first)
    await page.keyboard.press('J')
    await page.getByText('2 of 2').waitFor()
    await page.keyboard.press('u')
    await page.locator(`a.open[data-id="${third}"]:focus`).waitFor()

    await page.keyboard.press('x')
    await page.keyboard.press('k')
    await page.keyboard.press('x')
    await page.getByRole('button', { name: "Don't fight…" }).click()
    await page.getByRole('dialog').getByRole('button', { name: "Don't fight (2)" }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const decisions = await visits.shop.stage.db
      .selectFrom('chargeback')
      .select(['id', 'should_fight'])
      .where('should_fight', 'is not', null)
      .execute()
    expect(decisions.map(({ id, should_fight }) => [id, should_fight]).sort()).toEqual(
      [second, third].map((id) => [id, false]).sort(),
    )
    await expect.poll(() => page.locator('.bulk').count()).toBe(0)
  })

  it('what fails of several stays selected, with its reason', async () => {
    const { page, expects } = await open('queue?pspStatus=needs_response')
    expects(/status of 409/)
    await page.locator('a.open').first().waitFor()
    const [first] = (await rowIds(page)) as [string]
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await page.route(`**/chargebacks/${first}/should-fight`, (route) =>
      route.fulfill({ status: 409, json: { message: 'It was decided elsewhere.', code: 'conflict' } }),
    )
    await page.getByRole('button', { name: 'Fight…', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Fight (2)' }).click()
    await page.getByText('It was decided elsewhere.').waitFor()
    await page.getByText('1 selected').waitFor()
    expect(await page.locator('.selected a.open').getAttribute('data-id')).toBe(first)
  })

  it('who may only read has no checkboxes and no acts', async () => {
    const { page } = await open('queue?pspStatus=needs_response', {}, 'read')
    await page.locator('a.open').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    expect(await page.getByRole('checkbox', { name: /^Select/ }).count()).toBe(0)
    expect(await page.locator('.bulk').count()).toBe(0)
  })

  it('a change is seen at once in all tabs, of which one asks; hidden tabs ask nothing', async () => {
    const { page, context } = await open('queue?pspStatus=needs_response')
    await page.locator('a.open').first().waitFor()
    const second = await context.newPage()
    const asked = { page: 0, second: 0 }
    const counts = (name: keyof typeof asked) => (request: { url(): string }) => {
      if (request.url().includes('/v1/events?')) asked[name]++
    }
    page.on('request', counts('page'))
    second.on('request', counts('second'))
    await second.goto(page.url())
    await second.locator('a.open').first().waitFor()
    const [id] = (await rowIds(page)) as [string]
    await visits.shop.change(id, { status: 'building_evidence', amount_minor: 98_765n }, 'details changed')
    for (const tab of [page, second]) await tab.locator('tr:not(.group)', { hasText: '987.65' }).waitFor()
    // Both count as visible in a headless browser, so that the lock alone decides.
    expect(asked.second).toBe(0)
  })

  it('while the service is unavailable rows stay, acts do not; it is back without a reload', async () => {
    const { page, context, expects } = await open('queue?pspStatus=needs_response')
    expects(/ERR_FAILED/)
    await page.locator('a.open').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await context.route('**/console/v1/**', (route) => route.abort())
    await page.evaluate("window.dispatchEvent(new Event('focus'))")
    await page.getByText('The service does not answer. What you see may be old').waitFor()
    expect(await page.locator('a.open').count()).toBe(50)
    await page
      .getByRole('button', { name: 'Fight…', exact: true })
      .and(page.locator('[aria-disabled="true"]'))
      .waitFor()
    await context.unroute('**/console/v1/**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('What you see may be old').waitFor({ state: 'detached' })
    await page
      .getByRole('button', { name: 'Fight…', exact: true })
      .and(page.locator('[aria-disabled="false"]'))
      .waitFor()
  })

  it('the export has the rows of the view', async () => {
    const { page } = await open('queue?pspStatus=needs_response&psp=adyen')
    await page.locator('a.open').first().waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export CSV' }).click()
    const stream = await (await download).createReadStream()
    const text = (await stream.toArray()).join('')
    const expected = await list('pspStatus=needs_response&psp=adyen')
    expect(text.trim().split('\r\n')).toHaveLength(expected.length + 1)
    for (const { id } of expected) expect(text).toContain(id)
  })

  it('ten thousand: the first fifty by one request, the sums of all, and the cursor to the end', async () => {
    await using large = await openShop()
    const due = (n: number) => new Date(Date.now() + (n + 1) * 60_000)
    await large.add(Array.from({ length: 10_000 }, (_, n) => ({ due_date: due(n), amount_minor: BigInt(100 + n) })))
    const { page, context } = await openScene(visits.browser, large.origin)
    const lists: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/v1/chargebacks?')) lists.push(request.url())
    })
    await page.goto(`${large.origin}/console/queue?pspStatus=needs_response`)
    await signIn(page, (await large.issue('read', 'Jana')).token)
    await page.locator('a.open').first().waitFor()
    await expect.poll(() => totals(page)).toBe('10,000 chargebacks · EUR 509,950.00')
    expect(lists.filter((url) => !url.includes('cursor='))).toHaveLength(1)
    expect(await page.locator('a.open').count()).toBeLessThanOrEqual(150)
    await page.evaluate('setInterval(() => window.scrollTo(0, document.body.scrollHeight), 20)')
    await page.getByRole('button', { name: /^Load/ }).waitFor({ state: 'detached', timeout: 400_000 })
    const ids = await rowIds(page)
    expect([ids.length, new Set(ids).size]).toEqual([10_000, 10_000])
    await context.close()
    // A hundred pages, and ten thousand rows in a browser, on a busy machine.
  }, 480_000)
})
