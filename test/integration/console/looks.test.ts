import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { lastMonths } from '../../../console/overview/figures.ts'
import { installedBrowser } from '../../interface/reference-page.ts'
import { demoRows } from './demo-rows.ts'
import { type Exported, readExport, sumOf, winRateOf, withStatus } from './rooms/exported.ts'
import { checkAccessibility, checkTextSpacing, LOOKS, textOf } from './scene.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no screen is looked at in a browser')

/** Name and figures of each picture, with the position of a figure in the sums of the queue. */
const PICTURES = {
  'Won and lost by month': { cells: 'td', sumAt: 1 },
  'Money at risk by due week': { cells: 'td:nth-child(3)', sumAt: 1 },
  'Win rate by reason': { cells: 'td:nth-child(2)', sumAt: 0 },
  'Chargeback ratio': { cells: 'td:nth-child(2)', sumAt: 0 },
} as const

describe.skipIf(!executable)('queue and overview', () => {
  let visits: Visits
  const [before = '', now = ''] = lastMonths(new Date().toISOString(), 2)
  const transactions: Record<string, number> = { [before]: 7, [now]: 3 }
  beforeAll(async () => {
    const rows = demoRows(Date.now(), { open: 60, decided: 120 })
    // Of a reason with so few decisions that its rate says little.
    const few = rows.slice(-2).map((row) => ({ ...row, psp_status: 'won', reason_group: 'general' }))
    const undated = rows.slice(0, 5).map(({ due_date: _, ...row }) => row)
    visits = await openVisits(executable ?? '', [...rows, ...few, ...undated])
    for (const [month, count] of Object.entries(transactions))
      for (let n = 0; n < count; n++)
        await visits.shop.stage.call('POST', '/v1/transactions', {
          body: { transactionId: `ch_${month}_${n}`, transactionCreatedDate: `${month}-01T00:00:00Z` },
        })
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())
  const open: Visits['open'] = (...visit) => visits.open(...visit)

  /** Up to 640 px, rows are cards and the navigation is a bar at the bottom, also after scrolling. */
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
      const { page } = await open('queue?pspStatus=needs_response', options)
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
    })
  })

  const amountOf = (cell = '') => Number(cell.replace(/[^\d.]/g, ''))
  const pictureOf = (page: Page, name: string) => page.locator('.picture', { has: page.getByRole('heading', { name }) })
  /** Opens the table of a picture. @returns its cells by rows, with the queue's filter that each leads to */
  async function tableOf(page: Page, name: string) {
    await pictureOf(page, name).locator('summary').click()
    const rows = await pictureOf(page, name)
      .locator('tbody tr')
      .evaluateAll((found) =>
        found.map((row) =>
          [...row.children].map((cell) => [cell.textContent ?? '', cell.querySelector('a')?.getAttribute('href')]),
        ),
      )
    return rows.map((cells) =>
      cells.map(([text = '', href]) => ({
        text: text ?? '',
        filter: href ? [...new URL(href, visits.shop.origin).searchParams] : undefined,
      })),
    )
  }
  type Cell = Awaited<ReturnType<typeof tableOf>>[number][number]

  it.each(['EUR', 'USD'])('overview in %s: every figure equals the sums of the CSV export', async (currency) => {
    const { page } = await open('overview')
    expect(await page.getByLabel('Currency').inputValue()).toBe('EUR')
    await page.getByLabel('Currency').selectOption(currency)
    await page.getByText(`Amounts in ${currency}, by the month`).waitFor()
    const colour = (of: string) => page.evaluate(`getComputedStyle(document.querySelector('${of}')).color`)
    expect(await colour('.badge.sandbox'), 'amber').not.toBe(await colour('.top-bar'))
    const all = await readExport(visits.shop)
    const rows = all.filter((row) => row.currency === currency)
    const open3 = ['needs_response', 'under_review', 'unknown']

    /** A figure links to a filtered queue: the CSV export with the same filter has as many rows as the figure says. */
    const behind = async ({ text, filter }: Cell, share: (rows: Exported[]) => number) => {
      const found = await readExport(visits.shop, filter)
      if (text.includes('%')) return expect(amountOf(text), text).toBeCloseTo(share(found), 1)
      expect(amountOf(text), `${text} by ${filter}`).toBe(text.includes(currency) ? sumOf(found) : found.length)
    }
    for (const [name, statuses] of Object.entries({ 'At risk': open3, Won: ['won'], Lost: ['lost'] })) {
      const at = page.locator('.headline > div', { has: page.getByText(name, { exact: true }) })
      expect(amountOf(await textOf(at.locator('a'))), name).toBe(sumOf(withStatus(rows, ...statuses)))
      expect(amountOf(await textOf(at.locator('.muted'))), name).toBe(withStatus(rows, ...statuses).length)
      const href = (await at.locator('a').getAttribute('href')) ?? ''
      const filter = [...new URL(href, visits.shop.origin).searchParams]
      await behind({ text: await textOf(at.locator('a')), filter }, winRateOf)
    }
    const rate = await textOf(page.locator('.headline dd', { hasText: '%' }))
    expect(amountOf(rate.split('%')[0])).toBeCloseTo(winRateOf(rows), 1)

    const months = await tableOf(page, 'Won and lost by month')
    expect(months).toHaveLength(12)
    const headings = await page.locator('.picture').first().locator('th[scope="col"]').allTextContents()
    for (const [month, ...cells] of months)
      for (const [index, heading] of headings.slice(1).entries()) {
        const statuses = heading === 'Open' ? open3 : [heading.toLowerCase()]
        const inMonth = rows.filter(({ postingDate }) => postingDate.startsWith(month?.text ?? ''))
        expect(amountOf(cells[index]?.text), `${month?.text} ${heading}`).toBe(sumOf(withStatus(inMonth, ...statuses)))
      }
    const weeks = await tableOf(page, 'Money at risk by due week')
    expect(weeks.length).toBeGreaterThan(2)
    for (const [week, count, amount] of weeks) {
      const from = Date.parse(week?.text ?? '')
      const inWeek = withStatus(rows, 'needs_response').filter(({ dueDate }) =>
        dueDate === ''
          ? week?.text === 'no due date'
          : Date.parse(dueDate) >= from && Date.parse(dueDate) < from + 7 * 86_400_000,
      )
      expect(inWeek.length, week?.text).toBeGreaterThan(0)
      expect([amountOf(count?.text), amountOf(amount?.text)], week?.text).toEqual([inWeek.length, sumOf(inWeek)])
    }
    const reasons = await tableOf(page, 'Win rate by reason')
    expect(reasons.length).toBeGreaterThan(2)
    for (const [reason, won, decided, share] of reasons) {
      // A row of the export does not have its group, but the export can be of one.
      const group = reason?.text.toLowerCase().replace(' ', '_') ?? ''
      const own = await readExport(visits.shop, [['reasonGroup', group]])
      expect([won?.text, decided?.text].map(Number), group).toEqual([
        withStatus(own, 'won').length,
        withStatus(own, 'won', 'lost', 'split').length,
      ])
      expect(amountOf(share?.text), group).toBeCloseTo(winRateOf(own), 1)
    }
    const ratio = await tableOf(page, 'Chargeback ratio')
    expect(ratio.map(([, , told]) => Number(told?.text))).toEqual([...Array(10).fill(0), 7, 3])
    for (const [month, count] of ratio) {
      const charged = all.filter(({ lifecycleStage }) => lifecycleStage.includes('chargeback'))
      const posted = charged.filter(({ postingDate }) => postingDate.startsWith(month?.text ?? ''))
      expect(Number(count?.text), month?.text).toBe(posted.length)
    }
    expect(ratio.flat().filter(({ text }) => text.includes('%'))).toHaveLength(3)

    // The queue has no transactions, and no filter for chargebacks without a due date.
    const noLink = [...months, ...weeks, ...reasons, ...ratio].flatMap(([name, ...cells]) =>
      cells.filter(({ filter, text }) => !filter && text !== '–').map(() => name?.text),
    )
    expect(noLink).toEqual(['no due date', 'no due date', ...ratio.map(([month]) => month?.text)])
    for (const cell of [...months, ...weeks, ...reasons].flat()) if (cell.filter) await behind(cell, winRateOf)
    for (const [month, count, , visa, mastercard] of ratio) {
      for (const [cell, per] of [
        [count, 0],
        [visa, transactions[month?.text ?? '']],
        [mastercard, transactions[before]],
      ] as const)
        if (cell?.filter) await behind(cell, (found) => (100 * found.length) / (per ?? 0))
    }
  })

  it('overview: bars are as high as their amounts, and figures lead to their rows in the queue', async () => {
    const { page } = await open('overview')
    await page.getByRole('heading', { name: 'Won and lost by month' }).waitFor()
    const bars = (name: string) =>
      pictureOf(page, name)
        .locator('svg a rect')
        .evaluateAll((found) =>
          found.map((rect) => ({
            tone: rect.getAttribute('class') ?? '',
            title: rect.textContent ?? '',
            height: Number(rect.getAttribute('height')),
          })),
        )
    // A column is as high as the sum of its month or week.
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
    // The sums of the queue begin with the count of rows; win rates and ratios are of all currencies.
    for (const [name, { cells, sumAt }] of Object.entries(PICTURES))
      for (const which of ['first', 'last'] as const) {
        const link = pictureOf(page, name).locator(`tbody ${cells} a`, { hasText: /[1-9]/ })[which]()
        if (!(await link.isVisible())) await pictureOf(page, name).locator('summary').click()
        const shown = amountOf((await link.textContent()) ?? '')
        await link.click()
        await page.locator('a.open').first().waitFor()
        const sum = async () => amountOf((await textOf(page.locator('.totals'))).split('·')[sumAt])
        await expect.poll(sum, { message: `${which} of ${name}` }).toBe(shown)
        await page.goBack()
        await pictureOf(page, name).waitFor()
      }
  })
})
