import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { storeAlert } from '../../../db/alerts/alerts.ts'
import { installedBrowser } from '../../interface/reference-page.ts'
import { ethocaAlert } from '../../interface/resources.ts'
import { addCase } from './cases.ts'
import { demoRows } from './demo-rows.ts'
import {
  checkAccessibility,
  checkForcedBorders,
  checkInBoth,
  checkTextSpacing,
  checkWidth,
  LOOKS,
  textOf,
} from './scene.ts'
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

  describe.each(LOOKS)('%s', (_, options) => {
    it('axe finds nothing, and nothing scrolls sideways', async () => {
      const { page } = await open('queue?pspStatus=needs_response', options)
      await page.locator('a.open').first().waitFor()
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

  it('overview: every figure equals the sums of the export, and leads to those rows', async () => {
    const { page } = await open('overview')
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
  })

  it('every screen at 200 % zoom: nothing scrolls sideways, wider text fits, and borders stay in forced colours', async () => {
    const { stage, at } = visits.shop
    const id = await addCase(visits.shop)
    await storeAlert(stage.db, { ...at }, ethocaAlert())
    const body = { url: 'https://receiver.example/hooks', events: ['*'], description: 'Order system' }
    const endpoint = (await stage.call('POST', '/v1/webhook-endpoints', { body })).body.id
    const zoomed = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }
    const { page } = await open('queue?pspStatus=needs_response', zoomed, 'manage')
    await page.locator('a.open').first().waitFor()
    for (const [path, ready] of [
      ['queue?pspStatus=needs_response', 'a.open'],
      [`chargebacks/${id}`, '.timeline li'],
      [`chargebacks/${id}?tab=evidence`, '.upload'],
      ['overview', '.picture svg'],
      ['alerts', 'tbody tr'],
      ['integrations', '.rows li'],
      [`integrations/${at.integrationId}`, '.acts button'],
      ['integrations?connect=choose', '.choices li'],
      ['integrations?connect=stripe', 'form.form'],
      ['webhooks', '.rows li'],
      [`webhooks/${endpoint}`, '#facts'],
      ['webhooks?new=1', 'form.form'],
      ['rules', 'main input'],
      ['rules?tab=automatic', '.form'],
      ['rules?tab=playbooks', '.playbook'],
      ['audit', 'tbody tr'],
    ] as const) {
      await page.goto(`${visits.shop.origin}/console/${path}`)
      await page.locator(ready).first().waitFor()
      await checkWidth(page, `${path} at 200 %`)
      await checkForcedBorders(page, path)
      await checkTextSpacing(page, `${path} at 200 %`)
    }
  })

  it('screens without anything to show: axe finds nothing, in light and in dark', async () => {
    const { stage } = visits.shop
    const { accountId } = stage
    const { merchantUuid } = await stage.newMerchant(accountId, 'shop-without-anything')
    const issued = await stage.issue({ accountId, scope: 'merchant', merchantUuid, role: 'manage', name: 'Jana' })
    const { page } = await open('queue', {}, 'manage', { ...visits.shop, issue: async () => issued })
    for (const path of ['queue', 'overview', 'alerts', 'integrations', 'webhooks', 'rules', 'audit']) {
      await page.goto(`${visits.shop.origin}/console/${path}`)
      await page.locator('.empty').first().waitFor()
      await checkInBoth(page, `${path} without anything`)
    }
  })
})
