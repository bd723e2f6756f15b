import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installedBrowser } from '../../interface/reference-page.ts'
import { addCase, buildAgain } from './cases.ts'
import { checkAccessibility, checkTextSpacing, descriptionOf, LOOKS, textOf } from './scene.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no case is looked at in a browser')

describe.skipIf(!executable)('a case and its evidence', () => {
  let visits: Visits
  let id: string
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
    id = await addCase(visits.shop)
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())
  const path = (of = id) => `chargebacks/${of}?tab=evidence`
  const ready = (page: Page) => page.getByRole('heading', { name: /^Evidence v/ }).waitFor()

  const looks = [...LOOKS, ['200 % zoom', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }] as const]
  describe.each(looks)('%s', (name, options) => {
    it('axe finds nothing in evidence, dry run and confirmations, and nothing scrolls sideways', async () => {
      const { page } = await visits.open(path(), options)
      await ready(page)
      await checkAccessibility(page, 'evidence')
      await page.getByRole('button', { name: 'Dry run', exact: true }).click()
      await page.getByText('Dry run: it can be submitted').waitFor()
      await checkAccessibility(page, 'dry run')
      await page.getByRole('button', { name: 'Submit…', exact: true }).click()
      await page.getByRole('dialog').getByText('Dry run: it can be submitted').waitFor()
      await checkAccessibility(page, 'confirmation of a submission')
      await page.keyboard.press('Escape')
      await checkTextSpacing(page, 'evidence')
      if (/px/.test(name)) {
        const [acts] = await page.locator('.acts-side .acts').all()
        expect((await acts?.boundingBox())?.height, 'the acts are a row').toBeLessThan(120)
      }
    })
  })

  it('on paper the case comes before the evidence, and nothing that only works on a screen', async () => {
    const { page } = await visits.open(path())
    await ready(page)
    const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme')
    await page.evaluate("localStorage.setItem('recoup.theme', 'dark')")
    await page.reload()
    await ready(page)
    expect(await scheme()).toBe('dark')
    await page.emulateMedia({ media: 'print' })
    expect(await scheme()).toBe('light')
    const top = async (name: string | RegExp) =>
      (await page.getByRole('heading', { name }).boundingBox())?.y ?? Number.NaN
    expect(await top(/202\.09/)).toBeLessThan(await top('Facts'))
    expect(await top(/^Timeline/)).toBeLessThan(await top(/^Evidence v/))
    await page.getByText('The parcel was delivered on 6 March 2026').waitFor()
    await page.locator('section[aria-labelledby="missing"] label').first().waitFor()
    for (const gone of ['.rail', '.top-bar', 'iframe', '.tabs', '.upload', '.field input'])
      expect(await page.locator(gone).first().isVisible(), gone).toBe(false)
    expect(await page.locator('main button:visible').count()).toBe(0)
  })

  it('a draft that is built again while it is read: the new one is shown, and the old file is not submitted', async () => {
    const own = await addCase(visits.shop, { roi_recommendation: null })
    const { page, expects } = await visits.open(path(own))
    await ready(page)
    await page.getByRole('button', { name: 'Submit…', exact: true }).click()
    await page.getByRole('dialog').getByText('Dry run: it can be submitted').waitFor()
    expects(/status of 4/)
    await visits.shop.stage.db
      .updateTable('chargeback')
      .set({ package_wanted_at: new Date() })
      .where('id', '=', own)
      .execute()
    await buildAgain(visits.shop, own, { warnings: ['The parcel came back.'] })
    await page.getByRole('button', { name: 'Submit to Stripe' }).click()
    await page
      .getByRole('dialog')
      .getByText(/The draft has been replaced/)
      .waitFor()
    await page.getByRole('button', { name: 'Not yet' }).click()
    await page.getByText('The parcel came back.').waitFor()
    const commands = visits.shop.stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', own)
    expect(await commands.execute()).toEqual([])
  })

  it('a chargeback that changes while a confirmation is open is not answered', async () => {
    const own = await addCase(visits.shop, { roi_recommendation: null })
    const { page, expects } = await visits.open(path(own))
    expects(/status of 412/)
    await ready(page)
    await page.getByRole('button', { name: 'Accept…' }).click()
    await page.route(`**/chargebacks/${own}/accept`, async (route) => {
      // After the page has read it again, before its request arrives.
      await visits.shop.stage.db
        .updateTable('chargeback')
        .set({ amount_minor: 99_999n })
        .where('id', '=', own)
        .execute()
      await route.continue()
    })
    await page.getByRole('button', { name: /^Accept and lose/ }).click()
    await page.getByRole('dialog').getByText('It changed while you confirmed, so nothing was done').waitFor()
    const commands = visits.shop.stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', own)
    expect(await commands.execute()).toEqual([])
    await page.getByRole('button', { name: 'Keep it open' }).click()
    await page.getByRole('heading', { name: /999\.99/ }).waitFor()
  })

  it('an answer that is lost: the second try has the same key, and there is one acceptance', async () => {
    const own = await addCase(visits.shop, { roi_recommendation: null })
    const { page, expects } = await visits.open(path(own))
    expects(/ERR_FAILED/)
    await ready(page)
    const keys: (string | undefined)[] = []
    await page.route(`**/chargebacks/${own}/accept`, async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      keys.push(route.request().headers()['idempotency-key'])
      if (keys.length > 1) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Accept…' }).click()
    const dialog = page.getByRole('dialog')
    const act = dialog.getByRole('button', { name: /^Accept and lose/ })
    await act.click()
    await dialog.getByText('Trying again does it once only').waitFor()
    await act.and(page.locator('[aria-disabled="false"]')).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Requested by Jana').waitFor()
    expect(await page.getByText('Yours changed nothing').count()).toBe(0)
    expect(keys).toEqual([keys[0], keys[0]])
    const commands = visits.shop.stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', own)
    expect(await commands.execute()).toHaveLength(1)
  })

  it('accepted twice in two tabs: one acceptance, and the later one is told who was first', async () => {
    const own = await addCase(visits.shop, { roi_recommendation: null })
    const { page, context } = await visits.open(path(own))
    await ready(page)
    const second = await context.newPage()
    await second.goto(page.url())
    for (const tab of [page, second]) {
      await tab.getByRole('button', { name: 'Accept…' }).and(tab.locator('[aria-disabled="false"]')).click()
      await tab.getByRole('dialog').waitFor()
    }
    await page.getByRole('button', { name: /^Accept and lose/ }).dblclick()
    await page.getByText('Requested by Jana').waitFor()
    await second.getByRole('button', { name: /^Accept and lose/ }).click()
    await second.getByText(/It was requested already, by Jana at .* Yours changed nothing/).waitFor()
    await second.getByText('Requested by Jana').waitFor()
    const commands = visits.shop.stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', own)
    expect(await commands.execute()).toHaveLength(1)
  })

  it('what is missing leads to its field, or to the file to add; what is no evidence is refused before it is sent', async () => {
    const { page, expects } = await visits.open(path())
    await ready(page)
    const lacking = page.locator('section[aria-labelledby="lacking"]')
    expect(await textOf(lacking)).toContain('Must be sent')
    const number = lacking.getByRole('textbox', { name: 'Shipping tracking number' })
    await lacking.getByRole('button', { name: 'Save Shipping tracking number' }).click()
    await lacking.getByText('Fill the field first.').waitFor()
    expect(await descriptionOf(number)).toBe('Fill the field first.')
    await lacking.getByRole('button', { name: 'Add a file: signature' }).click()
    expect(await page.getByLabel('It shows').inputValue()).toBe('signature')
    await expect.poll(() => page.evaluate('document.activeElement.type')).toBe('file')
    const file = page.getByLabel(/^File/)
    const send = page.getByRole('button', { name: 'Upload' })
    await send.click()
    await page.getByText('Choose a file first.').waitFor()
    expect(await descriptionOf(file)).toBe('Choose a file first.')
    await file.setInputFiles({
      name: 'a.html',
      mimeType: 'text/html',
      buffer: Buffer.from('<script>alert(1)</script>'),
    })
    await send.click()
    await page.getByText('Choose a PDF, PNG or JPEG.').waitFor()
    await file.setInputFiles({ name: 'big.pdf', mimeType: 'application/pdf', buffer: Buffer.alloc(6_300_000, '%') })
    await send.click()
    await page.getByText(/6 MB is the most/).waitFor()
    // What only looks like a PDF is told by the API.
    expects(/status of 400/)
    await file.setInputFiles({
      name: 'a.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('<script>alert(1)</script>'),
    })
    await send.click()
    await page.locator('.upload .bad').getByText(/\w/).waitFor()
  })

  it('a list is typed entry by entry, and saved as one value', async () => {
    const own = await addCase(visits.shop, { roi_recommendation: null })
    const { page } = await visits.open(path(own))
    await ready(page)
    const form = page.locator('form.list-field').filter({ hasText: 'Customer communication' }).first()
    await form.getByRole('button', { name: 'Save Customer communication' }).click()
    await form.getByText('Fill “Sent on” of message 1.').waitFor()
    await form.getByLabel('Sent on (required)').fill('2026-03-07')
    await form.getByLabel('Text (required)').fill('It arrived.\nThank you.')
    await form.getByRole('button', { name: 'Add another message' }).click()
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('1.sent')
    await page.keyboard.type('2026-03-09')
    await form.getByRole('button', { name: 'Save Customer communication' }).click()
    await form.getByText('Fill “Text” of message 2.').waitFor()
    expect(await descriptionOf(form.getByLabel('Text (required)').last())).toBe('Fill “Text” of message 2.')
    await form.getByRole('button', { name: 'Remove message 2' }).click()
    await checkAccessibility(page, 'a list')
    await form.getByRole('button', { name: 'Save Customer communication' }).click()
    const stored = async () =>
      (await visits.shop.stage.call('GET', `/v1/chargebacks/${own}/data-points`)).body.data.find(
        ({ name }: { name: string }) => name === 'customerCommunication',
      )?.value
    await expect.poll(stored).toEqual([{ sent: '2026-03-07', body: 'It arrived.\nThank you.' }])
    const said = form.getByText('Saved', { exact: true })
    await said.waitFor()
    await form.getByLabel('Text (required)').fill('It came.')
    await said.waitFor({ state: 'detached' })
    await form.getByRole('button', { name: 'Save Customer communication' }).click()
    await expect.poll(stored).toEqual([{ sent: '2026-03-07', body: 'It came.' }])
  })

  it('a dry run that the PSP does not answer says so, and the rest of the page works on', async () => {
    const own = await addCase(visits.shop, { roi_recommendation: null })
    const { page, expects } = await visits.open(path(own))
    expects(/status of 503/)
    await ready(page)
    await page.route('**/evidence/plan', (route) =>
      route.fulfill({
        status: 503,
        json: { code: 'service_unavailable', message: 'The PSP can not be asked at the moment. Try again.' },
      }),
    )
    await page.getByRole('button', { name: 'Dry run', exact: true }).click()
    await page.getByRole('main').getByText('The PSP can not be asked at the moment').waitFor()
    expect(await page.getByText('What you see may be old').count()).toBe(0)
    await page.getByRole('button', { name: 'Submit…', exact: true }).click()
    await page
      .getByRole('dialog')
      .getByText(/could not be asked what it takes now/)
      .waitFor()
  })
})
