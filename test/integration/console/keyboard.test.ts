import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installedBrowser } from '../../interface/reference-page.ts'
import { addCase } from './cases.ts'
import { openScene, type Scene } from './scene.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, nobody lives by the keyboard alone')

/** What has the focus: its name, whether its outline is seen, and whether a bar covers it. */
const FOCUS = `(() => {
  const one = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  const { left, top, width, height } = one.getBoundingClientRect()
  const over = document.elementFromPoint(left + width / 2, top + height / 2)
  return {
    name: one.getAttribute('aria-label') || one.textContent || one.tagName,
    tag: one.tagName,
    outlined: outlineStyle !== 'none' && parseFloat(outlineWidth) > 0,
    seen: over !== null && (one.contains(over) || over.contains(one) || one.labels?.[0]?.contains(over) === true),
    inDialog: one.closest('dialog') !== null,
  }
})()`
interface Focus {
  name: string
  tag: string
  outlined: boolean
  seen: boolean
  inDialog: boolean
}

describe.skipIf(!executable)('by the keyboard alone', () => {
  let visits: Visits
  let scene: Scene | undefined
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
  })
  afterEach(async () => {
    await scene?.context.close()
    await visits.leave()
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())
  const focus = (page: Page) => page.evaluate(FOCUS) as Promise<Focus>

  /** Presses Tab until something of this name has the focus; every stop on the way is seen and outlined. */
  async function tabTo(page: Page, name: RegExp): Promise<void> {
    for (let n = 0; n < 120; n++) {
      await page.keyboard.press('Tab')
      const now = await focus(page)
      // The browser's own buttons come after the last element.
      if (now.tag === 'BODY') continue
      if (now.tag !== 'IFRAME')
        expect(now, `${now.tag} ${now.name}, after ${n + 1} Tabs`).toMatchObject({ outlined: true, seen: true })
      if (name.test(now.name)) return
    }
    throw new Error(`Tab never reaches ${name}`)
  }

  it.each([
    // The second case is due first: what one person has submitted, the other one doesn't open.
    ['wide', { width: 1280, height: 800 }, 90],
    ['375 px', { width: 375, height: 700 }, 80],
  ])(
    '%s: a person signs in, opens what is due, reads its evidence, submits it, and signs out',
    async (_, viewport, hours) => {
      const { shop, browser } = visits
      const id = await addCase(shop, { due_date: new Date(Date.now() + hours * 3_600_000) })
      scene = await openScene(browser, shop.origin, { viewport })
      const { page } = scene
      const { token } = await shop.issue('work', 'Jana')
      await page.goto(`${shop.origin}/console`)
      await page.getByLabel('Token').waitFor()
      await page.keyboard.type(token)
      if ((await page.getByLabel('Token').inputValue()) === '') {
        await page.keyboard.press('Tab')
        await page.keyboard.type(token)
      }
      await page.keyboard.press('Enter')
      await page.locator('a.open').first().waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: /202\.09/ }).waitFor()
      expect(page.url()).toContain(id)

      await tabTo(page, /^Accept…/)
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.waitFor()
      await expect.poll(async () => (await focus(page)).name).toBe('Keep it open')
      for (let n = 0; n < 6; n++) {
        await page.keyboard.press('Tab')
        const now = await focus(page)
        expect(now.inDialog || now.tag === 'BODY', now.name).toBe(true)
      }
      // A letter is no key while a dialog is open.
      await page.keyboard.press('u')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await expect.poll(async () => (await focus(page)).name).toBe('Accept…')
      expect(page.url()).toContain(id)

      await page.keyboard.press('e')
      await page.getByRole('heading', { name: /^Evidence v/ }).waitFor()
      expect(page.url()).toContain('tab=evidence')
      await tabTo(page, /^Submit…/)
      await page.keyboard.press('Enter')
      await dialog.getByText('Dry run: it can be submitted').waitFor()
      await page.keyboard.press('Tab')
      await expect.poll(async () => (await focus(page)).name).toBe('Submit to Stripe')
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('Requested by Jana').waitFor()
      const submitted = shop.stage.db.selectFrom('command').select('kind').where('chargeback_id', '=', id).execute()
      expect(await submitted).toEqual([{ kind: 'evidence_submission' }])
      await page.keyboard.press('c')
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keys and settings' }).waitFor()
      await page.keyboard.press('Enter')
      await page.keyboard.press('u')
      await page.locator('a.open').first().waitFor()
      await page.keyboard.press('g')
      await page.keyboard.press('o')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await tabTo(page, /^Sign out/)
      await page.keyboard.press('Enter')
      await page.getByLabel('Token').waitFor()
    },
  )

  it('a letter that is typed into a field is a letter: no key acts, in any kind of field', async () => {
    const id = await addCase(visits.shop)
    const { page } = await visits.open(`chargebacks/${id}`)
    const letters = 'e c u g q g o J K x ?'
    const field = page.locator('.missing input[type="text"]').first()
    for (const typed of [page.getByRole('searchbox'), field]) {
      await typed.focus()
      await page.keyboard.type(letters)
      expect(await typed.inputValue()).toBe(letters)
    }
    await page.goto(`${visits.shop.origin}/console/queue?pspStatus=needs_response`)
    await page.locator('a.open').first().waitFor()
    const address = page.url()
    await page.getByLabel('View', { exact: true }).focus()
    await page.keyboard.type('gjx?')
    await page.locator('summary', { hasText: 'Amount' }).click()
    await page.getByLabel('From').focus()
    await page.keyboard.type('gjx?')
    expect(await page.getByLabel('From').inputValue()).toBe('gjx?')
    await page.keyboard.press('Escape')
    expect(page.url()).toBe(address)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await page.locator('.selected').count()).toBe(0)
    // Outside of fields they act.
    await page.locator('a.open').first().focus()
    await page.keyboard.press('x')
    await page.locator('.selected').waitFor()
  })
})
