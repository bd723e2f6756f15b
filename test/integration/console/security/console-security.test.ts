import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { visible } from '../../../../console/parts/visible.ts'
import { changeSettings } from '../../../../db/merchants/account-settings.ts'
import { installedBrowser } from '../../../interface/reference-page.ts'
import { addCase, uploadNamed } from '../cases.ts'
import type { Scene } from '../scene.ts'
import { openVisits, type Visits } from '../visits.ts'
import { HOSTILE, HOSTILE_TOGETHER, LONG, TEXTS_OF_PAYMENTS } from './hostile.ts'
import { bodyText, expectQuiet, HOSTILE_NAME, openDialogs, openWatched } from './watched.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no hostile text is shown in a browser')

/** Characters that no name of a file can have. */
const REFUSED_IN_NAMES = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

describe.skipIf(!executable)('hostile texts', () => {
  let visits: Visits
  const scenes: Scene[] = []
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
    const { db, accountId } = visits.shop.stage
    await changeSettings(db, accountId, { automaticSubmission: { mode: 'auto' } })
  })
  afterEach(async () => {
    for (const { context } of scenes.splice(0)) await context.close()
    await visits.leave()
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  async function watched(path: string) {
    const { shop, browser } = visits
    const { token } = await shop.issue('work', HOSTILE_NAME)
    const scene = await openWatched(browser, shop.origin, path, token)
    scenes.push(scene)
    return scene
  }

  it('what a PSP, a client, a file or a name brings is shown as it was typed, on every screen, and nothing of it runs', async () => {
    const { shop } = visits
    const { stage } = shop
    for (const [index, texts] of HOSTILE_TOGETHER.entries()) {
      const text = texts.join(' ')
      const files = await Promise.all(
        texts.map(async (one) => {
          const name = one.slice(0, 100)
          const possible = name.replaceAll(REFUSED_IN_NAMES, '∕')
          if (possible !== name)
            await expect(uploadNamed(shop, name), one).rejects.toThrow('Its name holds invalid characters')
          // Of a path the last part is kept.
          return uploadNamed(shop, possible.replaceAll(/[\\/]/g, '∕'), {
            caption: one,
            kind: one,
            scope: one,
            [one]: one,
          })
        }),
      )
      const id = await addCase(
        shop,
        {
          ...{ chargeback_id: `${text}${index}`, reason: text, reason_code: text, transaction_id: text, arn: text },
          ...{
            status_reason: text,
            payment_method: text,
            bin: text,
            billing_country: text,
            card_last_four_digits: text.slice(0, 4),
          },
        },
        {
          texts: { shipping_carrier: text },
          textsLeftOut: [{ field: text, why: text }],
          statements: [
            { id: text, kept: true, text, exhibits: ['A'] },
            { id: `${text} left`, kept: false, why: text, exhibits: [] },
          ],
          exhibits: files.map((fileId) => ({ letter: 'A', fileId, kind: text as never, caption: text })),
          filesLeft: files.map((fileId) => ({ fileId, why: text })),
          ...{ requiredMissing: [text], missing: [`${text} again`], warnings: [text] },
        },
      )
      const points = await stage.call('PATCH', `/v1/chargebacks/${id}`, {
        body: { shippingCarrier: text, orderItems: [{ name: text, note: { deep: text } }], whatever: text },
      })
      expect(points.status, `${points.text} ${text}`).toBe(201)
      // A client's record of the payment: its values are in the same table.
      const record = { transactionId: text, ...Object.fromEntries(TEXTS_OF_PAYMENTS.map((name) => [name, text])) }
      expect((await stage.call('POST', '/v1/transactions', { body: record })).status, text).toBe(201)
      await shop.note(id, text, { reason: text, [text.slice(0, 100)]: text }, { reason: text })
    }
    const ids = await stage.db.selectFrom('chargeback').select(['id', 'reason']).orderBy('id').execute()
    expect(ids).toHaveLength(HOSTILE_TOGETHER.length)

    const { page, expects } = await watched('queue?pspStatus=needs_response')
    await page.locator('a.open').first().waitFor()
    const queue = await bodyText(page)
    for (const text of HOSTILE) expect(queue).toContain(visible(text))
    await expectQuiet(page, 'queue')
    for (const key of ['j', 'x']) await page.keyboard.press(key)
    await openDialogs(page, ['Fight…', "Don't fight…", 'Hold automatic submission…'])
    const first = ids[0]?.id
    for (const { id, reason } of ids) {
      const text = visible(reason ?? '')
      await page.goto(`${shop.origin}/console/chargebacks/${id}`)
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await page.locator('.points').waitFor()
      expect(await bodyText(page)).toContain(text)
      const known = await page.locator('.points').textContent()
      expect(known?.split(`${text}transaction`)).toHaveLength(TEXTS_OF_PAYMENTS.length + 1)
      await page.keyboard.press('e')
      await page.getByRole('heading', { name: 'What it says' }).waitFor()
      await page.locator('.pdf iframe').waitFor()
      expect(await page.locator('section[aria-labelledby="evidence"]').textContent()).toContain(text)
      for (const summary of await page.locator('section[aria-labelledby="evidence"] summary').all())
        await summary.click()
      await openDialogs(page, id === first ? ['Accept…', "Don't fight…", 'Hold…', 'Submit…'] : ['Accept…'])
      await page.emulateMedia({ media: 'print' })
      await page.emulateMedia({ media: 'screen' })
      await expectQuiet(page, text)
      expect(await page.title()).toBe('Chargeback · Recoup')
    }
    // The API refuses these addresses.
    expects(/status of 400/)
    for (const text of HOSTILE.slice(0, 10)) {
      await page.goto(`${shop.origin}/console/queue?${new URLSearchParams({ search: text, reason: text, sort: text })}`)
      await page.locator('main').getByText(/\w/).first().waitFor()
      await expectQuiet(page, `an address with ${text}`)
    }
  }, 600_000)

  it('data points of 100,000 characters are shown in full, and the page does not scroll sideways', async () => {
    const { shop } = visits
    const id = await addCase(shop)
    const body = { shippingCarrier: LONG, customerCommunication: [LONG], orderItems: [{ name: LONG }] }
    const { status, text } = await shop.stage.call('PATCH', `/v1/chargebacks/${id}`, { body })
    expect(status, text).toBe(201)
    const { page } = await watched(`chargebacks/${id}`)
    await page.locator('.points').waitFor()
    expect((await page.locator('.points').textContent())?.split(LONG)).toHaveLength(4)
    await expectQuiet(page, 'long data points')
    const [content, window] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[]
    expect(content).toBeLessThanOrEqual(window ?? 0)
  })

  it('a hostile merchant, credential and saved view', async () => {
    const { shop } = visits
    await shop.stage.db
      .updateTable('merchant')
      .set({ merchant_name: HOSTILE[8] ?? '' })
      .execute()
    const { page } = await watched('queue?pspStatus=needs_response&psp=stripe')
    await page.locator('.who').waitFor()
    expect(await bodyText(page)).toContain(HOSTILE[0])
    expect(await bodyText(page)).toContain(HOSTILE[8])
    await page.getByRole('button', { name: 'Save view…' }).click()
    await page.getByLabel('Name').fill(HOSTILE[9] ?? '')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove view' }).waitFor()
    await page.reload()
    await page.locator('.who').waitFor()
    await expectQuiet(page, 'saved view')
    await openDialogs(page, ['Rename…'])
  })
})
