import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installedBrowser, startBrowser } from '../../interface/reference-page.ts'
import { demoRows } from './demo-rows.ts'
import { checkAccessibility, openScene, type Scene, signIn, textOf } from './scene.ts'
import { openShop, type Shop } from './shop.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, the queue is not tried in a browser')

describe.skipIf(!executable)('the queue', () => {
  let shop: Shop
  let browser: Browser
  const scenes: Scene[] = []
  beforeAll(async () => {
    shop = await openShop()
    browser = await startBrowser(executable ?? '')
    await shop.add(demoRows(Date.now(), { open: 60, decided: 120 }))
  })
  afterEach(async () => {
    for (const { context } of scenes.splice(0)) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
    await shop?.[Symbol.asyncDispose]()
  })

  async function open(path: string, options = {}, role: 'read' | 'work' = 'work'): Promise<Scene> {
    const scene = await openScene(browser, shop.origin, options)
    scenes.push(scene)
    await scene.page.goto(`${shop.origin}/console/${path}`)
    await signIn(scene.page, (await shop.issue(role, 'Jana')).token)
    return scene
  }
  const list = async (query: string) => (await shop.stage.call('GET', `/v1/chargebacks?limit=100&${query}`)).body.data
  const rowIds = (page: Page) =>
    page.locator('a.open').evaluateAll((links) => links.map((link) => link.getAttribute('data-id')))
  const totals = (page: Page) => textOf(page.locator('.totals'))

  it('views, filters, sort and search are the address: another person who opens it sees the same', async () => {
    const { page, faults } = await open('queue')
    await page.locator('a.open').first().waitFor()
    await page.getByLabel('View', { exact: true }).selectOption('All open')
    await page.locator('summary', { hasText: /^PSP/ }).click()
    await page.getByRole('checkbox', { name: /^adyen/ }).check()
    await page.getByRole('checkbox', { name: /^paypal/ }).check()
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
    const query = 'pspStatus=needs_response&psp=adyen,paypal&currency=EUR&minAmount=10&sort=-amount'
    const expected = (await list(query)).map(({ id }: { id: string }) => id)
    expect(expected.length).toBeGreaterThan(3)
    await expect.poll(() => rowIds(page)).toEqual(expected)

    const other = await open(new URL(page.url()).pathname.slice('/console/'.length) + new URL(page.url()).search)
    await expect.poll(() => rowIds(other.page)).toEqual(expected)

    await page.getByRole('button', { name: 'Save view…' }).click()
    await page.getByLabel('Name').fill('Large in euros')
    await page.keyboard.press('Enter')
    await page.goto(`${shop.origin}/console/queue`)
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
    expect([...faults, ...other.faults]).toEqual([])
  })

  it('what matches nothing says so and leads on; what the API refuses is told in its words', async () => {
    const { page } = await open('queue?psp=klarna')
    await page.getByText('No chargeback matches').waitFor()
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await page.locator('a.open').first().waitFor()
    await page.goto(`${shop.origin}/console/queue?psp=nonsense`)
    await page.getByText('psp: Must be among').waitFor()
  })

  it('a person goes through selected ones by keys, and decides about several at once', async () => {
    const { page, faults } = await open('queue?pspStatus=needs_response')
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
    await page.keyboard.press('u')
    await page.locator(`a.open[data-id="${third}"]:focus`).waitFor()

    await page.keyboard.press('x')
    await page.keyboard.press('k')
    await page.keyboard.press('x')
    await page.getByRole('button', { name: "Don't fight…" }).click()
    await page.getByRole('dialog').getByRole('button', { name: "Don't fight (2)" }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const decisions = await shop.stage.db
      .selectFrom('chargeback')
      .select(['id', 'should_fight'])
      .where('should_fight', 'is not', null)
      .execute()
    expect(decisions.map(({ id, should_fight }) => [id, should_fight]).sort()).toEqual(
      [second, third].map((id) => [id, false]).sort(),
    )
    await expect.poll(() => page.locator('.bulk').count()).toBe(0)
    expect(faults).toEqual([])
  })

  it('what fails of several stays selected, with its reason', async () => {
    const { page } = await open('queue?pspStatus=needs_response')
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
    const { page, context, faults } = await open('queue?pspStatus=needs_response')
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
    await shop.change(id, { status: 'building_evidence', amount_minor: 98_765n }, 'details changed')
    for (const tab of [page, second]) await tab.locator('tr:not(.group)', { hasText: '987.65' }).waitFor()
    // Both count as visible in a headless browser, so that the lock alone decides.
    expect(asked.second).toBe(0)
    expect(faults).toEqual([])
  })

  it('while the service is away rows stay, acts do not; it is back without a reload', async () => {
    const { page, context } = await open('queue?pspStatus=needs_response')
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

  describe.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' as const }],
    ['375 px', { viewport: { width: 375, height: 700 } }],
    ['320 px', { viewport: { width: 320, height: 600 } }],
    ['forced colours', { forcedColors: 'active' as const }],
  ])('%s', (_, options) => {
    it('axe finds nothing, and nothing scrolls sideways', async () => {
      const { page, faults } = await open('queue?pspStatus=needs_response', options)
      await page.locator('a.open').first().waitFor()
      await checkAccessibility(page, 'queue')
      await page.locator('summary', { hasText: 'At the PSP' }).click()
      await checkAccessibility(page, 'menu')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Keys and settings' }).click()
      await checkAccessibility(page, 'keys and settings')
      await page.keyboard.press('Escape')
      await page.goto(`${shop.origin}/console/overview`)
      await page.getByRole('heading', { name: 'Won and lost by month' }).waitFor()
      for (const summary of await page.locator('.picture summary').all()) await summary.click()
      await checkAccessibility(page, 'overview')
      expect(faults).toEqual([])
    })
  })

  it('overview: every figure equals the sums of the export, and leads to those rows', async () => {
    const { page, faults } = await open('overview')
    await page.getByRole('heading', { name: 'Won and lost by month' }).waitFor()
    const { text } = await shop.stage.call('GET', '/v1/chargebacks/export?format=ndjson')
    type Exported = {
      currency: string
      amount: number
      pspStatus: string
      postingDate: string
      dueDate: string
      reasonGroup: string
    }
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Exported)
    const sum = (of: (row: Exported) => boolean) =>
      Math.round(
        rows.filter((row) => row.currency === 'EUR' && of(row)).reduce((all, { amount }) => all + amount, 0) * 100,
      ) / 100
    const table = async (name: string) => {
      const section = page.locator('.picture', { has: page.getByRole('heading', { name }) })
      await section.locator('summary').click()
      return section
        .locator('tbody tr')
        .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))
    }
    const amountOf = (cell = '') => Number(cell.replace(/[^\d.]/g, ''))

    const months = await table('Won and lost by month')
    expect(months).toHaveLength(12)
    const headings = await page.locator('.picture').first().locator('th[scope="col"]').allTextContents()
    for (const [month = '', ...cells] of months)
      for (const [index, heading] of headings.slice(1).entries()) {
        const statuses = heading === 'Open' ? ['needs_response', 'under_review', 'unknown'] : [heading.toLowerCase()]
        const expected = sum((row) => statuses.includes(row.pspStatus) && row.postingDate.startsWith(month))
        expect(amountOf(cells[index]), `${month} ${heading}`).toBe(expected)
      }

    const weeks = await table('Money at risk by due week')
    expect(weeks.length).toBeGreaterThan(2)
    for (const [week = '', count, amount] of weeks) {
      const [from, to] = [Date.parse(week), Date.parse(week) + 7 * 86_400_000]
      const inWeek = (row: Exported) =>
        row.pspStatus === 'needs_response' && Date.parse(row.dueDate) >= from && Date.parse(row.dueDate) < to
      expect(amountOf(amount), week).toBe(sum(inWeek))
      expect(Number(count), week).toBe(rows.filter((row) => row.currency === 'EUR' && inWeek(row)).length)
    }
    for (const [reason, won, decided] of await table('Win rate by reason')) {
      const own = rows.filter(
        ({ reasonGroup, pspStatus }) => reasonGroup === reason && /won|lost|split/.test(pspStatus),
      )
      if (own.length > 0) expect(Number(decided), reason).toBe(own.length)
      if (own.length > 0) expect(Number(won), reason).toBe(own.filter(({ pspStatus }) => pspStatus === 'won').length)
    }
    const link = page.locator('.picture tbody a', { hasText: /[1-9]/ }).first()
    const shown = amountOf((await link.textContent()) ?? '')
    await link.click()
    await page.locator('a.open').first().waitFor()
    await expect.poll(async () => amountOf((await totals(page)).split('·')[1])).toBe(shown)
    expect(faults).toEqual([])
  })

  it('ten thousand: the first fifty by one request, the sums of all, and the cursor to the end', async () => {
    await using large = await openShop()
    const due = (n: number) => new Date(Date.now() + (n + 1) * 60_000)
    await large.add(Array.from({ length: 10_000 }, (_, n) => ({ due_date: due(n), amount_minor: BigInt(100 + n) })))
    const scene = await openScene(browser, large.origin)
    scenes.push(scene)
    const { page, faults } = scene
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
    await page.getByRole('button', { name: /^Load/ }).waitFor({ state: 'detached', timeout: 150_000 })
    const ids = await rowIds(page)
    expect([ids.length, new Set(ids).size]).toEqual([10_000, 10_000])
    expect(faults).toEqual([])
  })
})
