import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installedBrowser, startBrowser } from '../../interface/reference-page.ts'
import { checkAccessibility, openScene, textOf } from './scene.ts'
import { openShop, type Shop } from './shop.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, the console is not tried in a browser')

describe.skipIf(!executable)('a short life in the console', () => {
  let shop: Shop
  let browser: Browser
  beforeAll(async () => {
    shop = await openShop()
    browser = await startBrowser(executable ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await shop?.[Symbol.asyncDispose]()
  })

  it('a person signs in with a pasted token, finds what is due first by keys, opens it, asks to accept it, and comes back', async () => {
    const due = (hours: number) => new Date(Date.now() + hours * 3_600_000)
    const [, first] = await shop.add([
      { amount_minor: 2_000n, due_date: due(100) },
      { amount_minor: 1_234n, due_date: due(5) },
      { amount_minor: 3_000n, due_date: due(24 * 60) },
    ])
    const { token } = await shop.issue('work', 'Jana')
    const { page, context } = await openScene(browser, shop.origin)
    await page.goto(`${shop.origin}/console`)
    const field = page.getByLabel('Token')
    // Password managers fill it by this.
    expect(await field.getAttribute('autocomplete')).toBe('current-password')
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(token)})`)
    await field.focus()
    await page.keyboard.press('ControlOrMeta+V')
    expect(await field.inputValue()).toBe(token)
    await page.keyboard.press('Enter')
    await field.waitFor({ state: 'detached' })
    // Due this week: not the one of next month.
    await expect.poll(() => textOf(page.locator('.totals'))).toBe('2 chargebacks · EUR 32.34')
    expect(await textOf(page.locator('tr.group'))).toBe('Within 24 hours 1 · EUR 12.34')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /12\.34/ }).waitFor()
    expect(page.url()).toContain(first)
    await page.getByRole('button', { name: 'Accept…' }).click()
    await page.getByRole('dialog', { name: 'Accept this chargeback?' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('u')
    await page.locator(`a.open[data-id="${first}"]:focus`).waitFor()
    await checkAccessibility(page, 'queue')
    await context.close()
  })
})
