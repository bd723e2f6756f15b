import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installedBrowser } from '../../interface/reference-page.ts'
import { demoRows } from './demo-rows.ts'
import { checkAccessibility, checkTextSpacing, LOOKS, textOf } from './scene.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no screen is looked at in a browser')

describe.skipIf(!executable)('queue and overview', () => {
  let visits: Visits
  beforeAll(async () => {
    const rows = demoRows(Date.now(), { open: 60, decided: 120 })
    // Of a reason with so few decisions that its rate says little.
    const few = rows.slice(-2).map((row) => ({ ...row, psp_status: 'won', reason_group: 'general' }))
    visits = await openVisits(executable ?? '', [...rows, ...few])
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())
  const open: Visits['open'] = (...visit) => visits.open(...visit)

  /** Below 640 px rows are cards, and the rail is a bar at the bottom, wherever the page is scrolled to. */
  async function checkLayout(page: Page) {
    const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
    const row = page.locator('.queue tbody tr:not(.group)').first()
    const place = async (of: string) => (await row.locator(of).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const isShown = (of: string) => row.locator(of).isVisible()
    const style = (of: string, name: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${of}')).${name}`)
    for (const cell of ['.due', '.amount', '.reason', '.advice']) expect(await isShown(cell), cell).toBe(true)
    const isNarrow = width <= 640
    expect([await isShown('.stage'), await isShown('.win')]).toEqual([!isNarrow, !isNarrow])
    const [due, amount, reason] = [await place('.due'), await place('.amount'), await place('.reason')]
    expect(reason.y >= due.y + due.height, 'the reason is below').toBe(isNarrow)
    expect(amount.x + amount.width).toBeLessThanOrEqual(width)
    expect(await style('.queue td.amount', 'textAlign')).toBe('right')
    expect(await style('.queue td.amount', 'fontVariantNumeric')).toBe('tabular-nums')
    await page.evaluate('scrollTo(0, 300)')
    const rail = await page.locator('.rail').boundingBox()
    if (isNarrow) expect(rail).toMatchObject({ x: 0, width, y: height - (rail?.height ?? 0) })
    else expect(rail).toMatchObject({ x: 0, y: 0, width: 152 })
    await page.evaluate('scrollTo(0, 0)')
  }

  describe.each(LOOKS)('%s', (_, options) => {
    it('axe finds nothing, and nothing scrolls sideways', async () => {
      const { page, faults } = await open('queue?pspStatus=needs_response', options)
      await page.locator('a.open').first().waitFor()
      await checkLayout(page)
      await checkAccessibility(page, 'queue')
      await page.locator('summary', { hasText: 'At the PSP' }).click()
      await checkAccessibility(page, 'menu')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Keys and settings' }).click()
      await checkAccessibility(page, 'keys and settings')
      await page.keyboard.press('Escape')
      await page.goto(`${visits.shop.origin}/console/overview`)
      await page.getByRole('heading', { name: 'Won and lost by month' }).waitFor()
      for (const summary of await page.locator('.picture summary').all()) await summary.click()
      await checkAccessibility(page, 'overview')
      await checkTextSpacing(page, 'overview')
      await page.goto(`${visits.shop.origin}/console/queue?pspStatus=needs_response`)
      await page.locator('a.open').first().waitFor()
      await checkTextSpacing(page, 'queue')
      expect(faults).toEqual([])
    })
  })

  it('overview: every figure equals the sums of the export, and leads to those rows', async () => {
    const { page, faults } = await open('overview')
    await page.getByRole('heading', { name: 'Won and lost by month' }).waitFor()
    const colour = (of: string) => page.evaluate(`getComputedStyle(document.querySelector('${of}')).color`)
    expect(await colour('.badge.sandbox'), 'amber').not.toBe(await colour('.top-bar'))
    type Exported = {
      currency: string
      amount: number
      pspStatus: string
      postingDate: string
      dueDate: string
    }
    const exported = async (filter = '') => {
      const { text } = await visits.shop.stage.call('GET', `/v1/chargebacks/export?format=ndjson${filter}`)
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Exported)
    }
    const rows = await exported()
    const sum = (of: (row: Exported) => boolean) =>
      Math.round(
        rows.filter((row) => row.currency === 'EUR' && of(row)).reduce((all, { amount }) => all + amount, 0) * 100,
      ) / 100
    const pictureOf = (name: string) => page.locator('.picture', { has: page.getByRole('heading', { name }) })
    const table = async (name: string) => {
      const section = pictureOf(name)
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
    const reasons = await table('Win rate by reason')
    expect(reasons.length).toBeGreaterThan(2)
    for (const [reason, won, decided] of reasons) {
      // A row of the export does not have its group, but the export can be of one.
      const group = reason?.toLowerCase().replace(' ', '_')
      const own = await exported(`&reasonGroup=${group}&pspStatus=won,lost,split`)
      expect(Number(decided), reason).toBe(own.length)
      expect(Number(won), reason).toBe(own.filter(({ pspStatus }) => pspStatus === 'won').length)
    }
    const bars = (name: string) =>
      pictureOf(name)
        .locator('svg a rect')
        .evaluateAll((found) =>
          found.map((rect) => ({
            tone: rect.getAttribute('class') ?? '',
            title: rect.textContent ?? '',
            height: Number(rect.getAttribute('height')),
          })),
        )
    // Each bar is as high as its amount, so that a column is as high as the sum of its month or week.
    for (const name of ['Won and lost by month', 'Money at risk by due week']) {
      const found = (await bars(name)).map(({ title, height }) => ({ amount: amountOf(title.split('EUR')[1]), height }))
      expect(found.length, name).toBeGreaterThan(2)
      const [scale = 0] = found.map(({ amount, height }) => height / amount)
      for (const { amount, height } of found) expect(height / scale, name).toBeCloseTo(amount, 2)
    }
    const rates = await bars('Win rate by reason')
    expect(new Set(rates.map(({ tone }) => tone))).toEqual(new Set(['good', 'muted']))
    for (const { tone, title } of rates)
      expect(tone, title).toBe(Number(title.split(' of ')[1]) < 10 ? 'muted' : 'good')
    // The sums of the queue begin with the count of rows; the win rates are of all currencies.
    for (const [name, sumAt] of [
      ['Won and lost by month', 1],
      ['Money at risk by due week', 1],
      ['Win rate by reason', 0],
    ] as const)
      for (const which of ['first', 'last'] as const) {
        const link = pictureOf(name).locator('tbody a', { hasText: /[1-9]/ })[which]()
        if (!(await link.isVisible())) await table(name)
        const shown = amountOf((await link.textContent()) ?? '')
        await link.click()
        await page.locator('a.open').first().waitFor()
        const sum = async () => amountOf((await textOf(page.locator('.totals'))).split('·')[sumAt])
        await expect.poll(sum, { message: `${which} of ${name}` }).toBe(shown)
        await page.goBack()
        await pictureOf(name).waitFor()
      }
    expect(faults).toEqual([])
  })
})
