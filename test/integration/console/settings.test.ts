import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installedBrowser } from '../../interface/reference-page.ts'
import { signIn } from './scene.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, nobody chooses settings')

/** Runs before the page does. */
const BLOCKED = `Object.defineProperty(window, 'localStorage', {
  get() { throw new DOMException('Access is denied', 'SecurityError') },
})`
/** Fills the browser's storage for this origin to its limit. */
const FILL = `(() => {
  let text = 'x'.repeat(2 ** 22)
  for (let n = 0; text.length > 0; n++) {
    try { localStorage.setItem('full' + n, text) } catch { text = text.slice(0, text.length / 2) }
  }
})()`

describe.skipIf(!executable)('what a person sets in the browser', () => {
  let visits: Visits
  // Its minute is in no other row, so the row is found in every zone.
  const due = new Date(Date.UTC(new Date().getUTCFullYear() + 1, 0, 20, 9, 44))
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [{ reason: 'Fraud', due_date: due }])
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())

  const all = 'queue?pspStatus=needs_response'
  const settings = async (page: Page) => {
    await page.getByRole('button', { name: 'Keys and settings' }).click()
    return page.getByRole('dialog', { name: 'Keys and settings' })
  }
  async function saveView(page: Page, name: string) {
    await page.getByRole('button', { name: 'Save view…' }).click()
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  it('times are of the browser’s zone, or of UTC: at once, named, and after the page is loaded again', async () => {
    const { page } = await visits.open(all, { timezoneId: 'Asia/Tokyo' })
    const time = page.locator('tbody time').first()
    await expect.poll(() => time.textContent()).toContain('18:44')
    const dialog = await settings(page)
    await dialog.getByLabel('Times').selectOption('UTC')
    await expect.poll(() => time.textContent()).toContain('09:44')
    await page.keyboard.press('Escape')
    await page.getByText(/^● live .* UTC$/).waitFor()
    await page.reload()
    await expect.poll(() => time.textContent()).toContain('09:44')
    await page.locator('a.open').first().click()
    await page.getByText(/Due in .* 09:44 UTC/).waitFor()
    await (await settings(page)).getByLabel('Times').selectOption('of this browser')
    await page.keyboard.press('Escape')
    await page.getByText(/Due in .* 18:44 GMT\+9/).waitFor()
  })

  it.each([
    ['blocked', BLOCKED, ''],
    ['full', '', FILL],
  ])(
    'a browser whose storage is %s: settings and views act while the page is open, and it says so',
    async (_, first, then) => {
      const { page, context } = await visits.open('queue?due=400&psp=stripe')
      const row = page.locator('a.open').first()
      await row.waitFor()
      if (first) await context.addInitScript(first)
      await page.reload()
      await row.waitFor()
      if (then) await page.evaluate(then)
      const dialog = await settings(page)
      await dialog.getByLabel('Colours').selectOption('dark')
      await dialog.getByText('This browser stores nothing').waitFor()
      expect(await page.evaluate('document.documentElement.style.colorScheme')).toBe('dark')
      await dialog.getByLabel('Times').selectOption('UTC')
      await dialog.getByLabel('Single keys act').uncheck()
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      expect(await page.getByRole('dialog').count()).toBe(0)
      await saveView(page, 'Stripe of a year')
      await page.locator('.views').getByText('This browser stores nothing').waitFor()
      await page.getByRole('button', { name: 'Remove view' }).waitFor()
    },
  )

  it('single keys that were switched off stay off after the page is loaded again, and can be switched on', async () => {
    const { page } = await visits.open(all)
    const row = page.locator('a.open').first()
    await row.waitFor()
    const keys = page.getByLabel('Single keys act')
    await page.keyboard.press('?')
    await keys.uncheck()
    await page.keyboard.press('Escape')
    await page.reload()
    await row.waitFor()
    for (const key of ['?', 'g', 'o', 'j', 'x']) await page.keyboard.press(key)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.locator('.selected').count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/console/queue')
    await settings(page)
    expect(await keys.isChecked()).toBe(false)
    await keys.check()
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    await keys.waitFor()
  })

  it('a secret that was typed is gone when its form is left, and when the page is loaded again', async () => {
    const { page } = await visits.open('integrations?connect=stripe', {}, 'manage')
    const key = page.getByLabel('Restricted key')
    for (const leave of [
      async () => {
        await page.locator('.rail').getByRole('link', { name: 'Queue' }).click()
        await page.getByRole('heading', { name: 'Queue' }).waitFor()
        await page.goBack()
      },
      async () => void (await page.reload()),
    ]) {
      await key.fill('rk_test_left4711')
      await leave()
      await key.waitFor()
      expect(await key.inputValue()).toBe('')
    }
  })

  it('saved views are those of the person who saved them', async () => {
    const { page } = await visits.open('queue?due=400&psp=stripe')
    await page.locator('a.open').first().waitFor()
    await saveView(page, 'Of Jana alone')
    const views = page.getByLabel('View', { exact: true })
    await expect.poll(() => views.textContent()).toContain('Of Jana alone')
    await page.reload()
    await expect.poll(() => views.textContent()).toContain('Of Jana alone')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, (await visits.shop.issue('work', 'Omar')).token)
    await expect.poll(() => views.textContent()).toContain('Due this week')
    expect(await views.textContent()).not.toContain('Of Jana alone')
  })
})
