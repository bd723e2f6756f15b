import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { changeSettings } from '../../../db/merchants/account-settings.ts'
import { installedBrowser } from '../../interface/reference-page.ts'
import { stubDrafts } from '../../interface/resources.ts'
import { addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { addCase } from './cases.ts'
import { checkAccessibility, LISTEN, textOf } from './scene.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no dialog is looked at')

const MINUTE_MS = 60_000

/** Notes which element has the focus when a dialog goes away, before the next frame is painted. */
const NOTE_FOCUS = `
  new MutationObserver((changes) => {
    const isGone = changes.some(({ removedNodes }) => [...removedNodes].some(({ nodeName }) => nodeName === 'DIALOG'))
    if (isGone) window.focused = document.activeElement.textContent
  }).observe(document, { childList: true, subtree: true })
`

describe.skipIf(!executable)('dialogs', () => {
  let visits: Visits
  let id: string
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
    const { stage } = visits.shop
    stubDrafts(stage.deps)
    await changeSettings(stage.db, stage.accountId, { automaticSubmission: { mode: 'auto' } })
    id = await addCase(visits.shop)
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())

  async function look(page: Page, button: string, title: string | RegExp) {
    await page.getByRole('button', { name: button, exact: true }).click()
    await page.getByRole('dialog', { name: title }).waitFor()
    await checkAccessibility(page, String(title))
  }
  async function escapeTwice(page: Page) {
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key)
    expect(await page.getByRole('dialog').isVisible(), 'after two Esc; the second can’t be cancelled').toBe(true)
  }
  async function leave(page: Page) {
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  describe.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' as const }],
    ['375 px', { viewport: { width: 375, height: 700 } }],
  ])('axe finds nothing in those that other tests do not open, %s', (name, options) => {
    it('of a case: deciding, holding, releasing', async () => {
      const { page } = await visits.open(`chargebacks/${id}`, options)
      await look(page, "Don't fight…", 'Not fight this chargeback?')
      await leave(page)
      await page.keyboard.press('e')
      await look(page, 'Hold…', 'Hold the automatic submission?')
      await page.getByRole('button', { name: 'Hold it' }).click()
      await page.getByText('Not submitted automatically: it is held').waitFor()
      await look(page, 'Release…', 'Release the automatic submission?')
      await page.getByRole('button', { name: 'Release it' }).click()
      await page.getByRole('button', { name: 'Hold…', exact: true }).waitFor()
    })

    it('of the queue: naming a view, several at once', async () => {
      const { page } = await visits.open('queue?psp=stripe&pspStatus=needs_response', options)
      await page.locator('a.open').first().waitFor()
      await page.evaluate(NOTE_FOCUS)
      await look(page, 'Save view…', 'Save this view')
      await leave(page)
      expect(await page.evaluate('window.focused')).toBe('Save view…')
      // On a small window rows are cards that only their key selects.
      await page.keyboard.press('j')
      await page.keyboard.press('x')
      for (const [button, title] of [
        ['Fight…', 'Fight these chargebacks?'],
        ["Don't fight…", 'Not fight these chargebacks?'],
        ['Hold automatic submission…', 'Hold automatic submission?'],
      ] as const) {
        await look(page, button, title)
        await leave(page)
      }
    })

    it('of a session: its end by want of use, its end', async () => {
      const { page } = await visits.open('queue', options)
      await page.locator('a.open').first().waitFor()
      await page.clock.install()
      await page.clock.fastForward(28 * MINUTE_MS)
      await page.getByRole('dialog', { name: 'Are you still there?' }).waitFor()
      await checkAccessibility(page, `idle, ${name}`)
      await visits.shop.stage.db.deleteFrom('console_session').execute()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
      await checkAccessibility(page, `ended, ${name}`)
      await escapeTwice(page)
    })
  })
  it.each([
    ['Accept…', /^Accept and lose/],
    ['Submit…', 'Submit to Stripe'],
  ])(
    '%s confirms what it showed when it opened: what changes meanwhile is neither shown nor done',
    async (open, act) => {
      const { db } = visits.shop.stage
      const own = await addCase(visits.shop, { roi_recommendation: null })
      const { page } = await visits.open(`chargebacks/${own}?tab=evidence`)
      await page.getByRole('button', { name: open, exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog
        .getByText(/202\.09/)
        .first()
        .waitFor()
      await db.updateTable('chargeback').set({ amount_minor: 99_999n }).where('id', '=', own).execute()
      await page.evaluate("dispatchEvent(new Event('focus'))")
      await page.locator('h1', { hasText: '999.99' }).waitFor()
      expect(await textOf(dialog)).toContain('EUR 202.09')
      await dialog.getByRole('button', { name: act }).and(page.locator('[aria-disabled="false"]')).click()
      await dialog.getByText('It changed meanwhile: the amount. Look at it again.').waitFor()
      const commands = db.selectFrom('command').selectAll().where('chargeback_id', '=', own)
      expect(await commands.execute()).toEqual([])
    },
  )
  it('what is said while a dialog is open, and when it closes, is read out by screen readers', async () => {
    const own = await addCase(visits.shop, { roi_recommendation: null })
    const { page } = await visits.open(`chargebacks/${own}?tab=evidence`)
    const heard = () => page.evaluate('window.heard')
    await page.evaluate(LISTEN)
    await page.getByRole('button', { name: 'Submit…', exact: true }).click()
    await expect.poll(heard).toContain('It can be submitted')
    await page.getByRole('dialog').getByRole('button', { name: 'Submit to Stripe' }).click()
    await expect.poll(heard).toContain('The submission is requested')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
  it('that the session ends soon, and that the service does not answer, is shown and read out in an open dialog', async () => {
    const { page, expects } = await visits.open(`chargebacks/${id}`)
    expects(/ERR_FAILED/)
    const ends = new Date(Date.now() + 8 * MINUTE_MS)
    await visits.shop.stage.db.updateTable('console_session').set({ ends_at: ends }).execute()
    await page.reload()
    await page.getByText('You will be signed out at').waitFor()
    await page.getByRole('button', { name: 'Accept…', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Accept this chargeback?' })
    await dialog.getByText('You will be signed out at').waitFor()
    await page.evaluate(LISTEN)
    await page.route('**/console/v1/**', (route) => route.abort())
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await dialog.getByText('The service does not answer. What you see may be old').waitFor()
    const heard = async () => String(await page.evaluate('window.heard'))
    await expect.poll(heard).toContain('The service does not answer.')
    await checkAccessibility(page, 'a dialog with banners')
    await page.unrouteAll()
    await dialog.getByText('What you see may be old').waitFor({ state: 'detached', timeout: 90_000 })
  })
  it('an acceptance asks again when Recoup advises Fight since the dialog opened', async () => {
    const { db } = visits.shop.stage
    const own = await addCase(visits.shop, { roi_recommendation: null })
    const { page } = await visits.open(`chargebacks/${own}`)
    await page.getByRole('button', { name: 'Accept…', exact: true }).click()
    const dialog = page.getByRole('dialog')
    const accept = dialog.getByRole('button', { name: /^Accept and lose/ })
    await accept.waitFor()
    await db.updateTable('chargeback').set({ roi_recommendation: 'Fight' }).where('id', '=', own).execute()
    await accept.click()
    await dialog.getByText('Recoup advises Fight now.').waitFor()
    await dialog.getByRole('checkbox').check()
    await accept.click()
    await dialog.waitFor({ state: 'detached' })
    const commands = db.selectFrom('command').select('kind').where('chargeback_id', '=', own)
    expect(await commands.execute()).toEqual([{ kind: 'acceptance' }])
  })
  it('a submission says whether the PSP takes evidence once, and asks again when Recoup advises Accept', async () => {
    const { stage } = visits.shop
    const paypal = { source: 'paypal', secretType: 'BASIC_AUTH' } as const
    const integration_id = await addIntegration(stage.db, stage.ring, stage.merchantUuid, paypal)
    const advice = { roi_recommendation: 'Accept', win_probability: '31' }
    const own = await addCase(visits.shop, { psp: 'paypal', integration_id, ...advice })
    const { page } = await visits.open(`chargebacks/${own}?tab=evidence`)
    const open = page.getByRole('button', { name: 'Submit…', exact: true })
    const dialog = page.getByRole('dialog')
    await open.click()
    await dialog.getByText('PayPal takes further evidence while the dispute is open.').waitFor()
    await leave(page)
    await page.route('**/evidence/plan', async (route) => {
      const { data } = await (await route.fetch()).json()
      await route.fulfill({ json: { data: { ...data, requirements: { oneShot: true } } } })
    })
    await open.click()
    await dialog.getByText('PayPal takes evidence once: nothing can be added afterwards.').waitFor()
    const submit = dialog.getByRole('button', { name: 'Submit to PayPal' })
    expect(await submit.getAttribute('aria-disabled')).toBe('true')
    await submit.dispatchEvent('click')
    await dialog.getByLabel('I know that Recoup advises Accept (31 %)').check()
    const commands = stage.db.selectFrom('command').select('kind').where('chargeback_id', '=', own)
    expect(await commands.execute()).toEqual([])
    await submit.click()
    await dialog.waitFor({ state: 'detached' })
    expect(await commands.execute()).toEqual([{ kind: 'evidence_submission' }])
  })
  it('a second try of an acceptance whose answer was lost is answered, although the dispute is lost by then', async () => {
    const { db } = visits.shop.stage
    const own = await addCase(visits.shop, { roi_recommendation: null })
    const { page, expects } = await visits.open(`chargebacks/${own}`)
    expects(/ERR_FAILED/)
    await page.route(`**/chargebacks/${own}/accept`, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      await route.fetch()
      await route.abort()
      await page.unroute(`**/chargebacks/${own}/accept`)
    })
    await page.getByRole('button', { name: 'Accept…', exact: true }).click()
    const dialog = page.getByRole('dialog')
    const accept = dialog.getByRole('button', { name: /^Accept and lose/ })
    await accept.click()
    await dialog.getByText('Trying again does it once only.').waitFor()
    await db.updateTable('chargeback').set({ psp_status: 'lost' }).where('id', '=', own).execute()
    await accept.and(page.locator('[aria-disabled="false"]')).click()
    await dialog.waitFor({ state: 'detached' })
    const commands = db.selectFrom('command').select('kind').where('chargeback_id', '=', own)
    expect(await commands.execute()).toEqual([{ kind: 'acceptance' }])
  })
  it('a dialog whose act runs stays open, and says why it failed to people who do not see it', async () => {
    const { page, expects } = await visits.open(`chargebacks/${id}`)
    expects(/status of 500/)
    let answer = () => {}
    const asked = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(`**/chargebacks/${id}/should-fight`, async (route) => {
      await asked
      const error = { code: 'internal_error', message: 'Internal server error', errorId: '6f1c1f0e' }
      await route.fulfill({ status: 500, json: error })
    })
    await page.getByRole('button', { name: "Don't fight…" }).click()
    await page.getByRole('button', { name: "Don't fight", exact: true }).click()
    await page.getByRole('button', { name: 'Sending…' }).waitFor()
    await escapeTwice(page)
    // As a browser does that does not know `closedby`.
    await page.evaluate("document.querySelector('dialog').close()")
    await page.getByRole('dialog').waitFor()
    answer()
    const alert = page.getByRole('dialog').getByRole('alert')
    await expect.poll(() => alert.textContent()).toBe('Internal server error (error id 6f1c1f0e)')
    await leave(page)
  })
})
