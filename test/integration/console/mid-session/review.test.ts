import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installedBrowser } from '../../../interface/reference-page.ts'
import { openVisits, type Visits } from '../visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, nothing is reviewed one by one')

describe.skipIf(!executable)('chargebacks reviewed one by one', () => {
  let visits: Visits
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())

  /** Adds chargebacks in a currency that no other test uses, and begins to review all of them. One of its acts is refused. */
  async function review(currency: string, amounts: readonly number[]) {
    const ids = await visits.shop.add(amounts.map((amount) => ({ currency, amount_minor: BigInt(amount * 100) })))
    const { page, expects } = await visits.open(`queue?pspStatus=needs_response&currency=${currency}`)
    expects(/status of 409/)
    await page
      .locator('a.open')
      .nth(amounts.length - 1)
      .waitFor()
    for (const box of await page.getByRole('checkbox', { name: /^Select/ }).all()) await box.check()
    await page.getByRole('button', { name: /^Review one by one/ }).click()
    return { page, ids }
  }

  it('what was refused on the way is listed at the end, and what was done after all is not', async () => {
    const { db } = visits.shop.stage
    const { page, ids } = await review('DKK', [71, 72, 73])
    const decide = async () => {
      await page.getByRole('button', { name: "Don't fight…" }).click()
      await page.getByRole('dialog').getByRole('button', { name: "Don't fight", exact: true }).click()
    }
    let refused = 0
    for (const n of [1, 2, 3]) {
      await page.getByText(`${n} of 3`).waitFor()
      await page.route('**/should-fight', (route) =>
        n === 3
          ? route.continue()
          : route.fulfill({ status: 409, json: { message: `Refused ${++refused}.`, code: 'conflict' } }),
      )
      await decide()
      const dialog = page.getByRole('dialog')
      if (n < 3) await dialog.getByText(`Refused ${n}.`).waitFor()
      await page.unrouteAll()
      if (n === 2) await dialog.getByRole('button', { name: "Don't fight", exact: true }).click()
      if (n === 1) await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.keyboard.press('J')
    }
    await page.keyboard.press('u')
    await page.locator('.undone').waitFor()
    expect(await page.locator('.undone li').allTextContents()).toEqual(['Stripe DKK\u00a071.00: Refused 1.'])
    const decided = await db.selectFrom('chargeback').select('id').where('should_fight', '=', false).execute()
    expect(
      decided
        .map(({ id }) => id)
        .filter((id) => ids.includes(id))
        .sort(),
    ).toEqual(ids.slice(1).sort())
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.locator('.bulk').waitFor({ state: 'detached' })
  })

  it('what fails at the PSP, or has its answer, after the person went on is listed at the end', async () => {
    const { page } = await review('NOK', [81, 82])
    let hasFailed = false
    let failuresRead = 0
    await page.route('**/chargebacks/*/accept', async (route) => {
      if (route.request().method() !== 'GET') return route.continue()
      const status = hasFailed ? 'failed' : 'inProgress'
      await route.fulfill({ json: { id: 'x', acceptedAt: new Date(), status, error: 'Too late.' } })
      if (hasFailed) failuresRead++
    })
    const confirm = async (n: number) => {
      await page.getByText(`${n} of 2`).waitFor()
      await page.getByRole('button', { name: 'Accept…', exact: true }).click()
      await page.getByRole('button', { name: /^Accept and lose/ }).click()
    }
    await confirm(1)
    await page.getByText('Requested by Jana').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('J')
    await page.getByText('2 of 2').waitFor()
    hasFailed = true
    await expect
      .poll(async () => {
        await page.evaluate("window.dispatchEvent(new Event('focus'))")
        return failuresRead
      })
      .toBeGreaterThan(0)

    let answer = () => {}
    const asked = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(`**${new URL(page.url()).pathname.replace('/console', '')}/accept`, async (route) => {
      await asked
      await route.fulfill({ status: 409, json: { message: 'Refused.', code: 'conflict' } })
    })
    await confirm(2)
    await page.getByRole('button', { name: 'Sending…' }).waitFor()
    // An open dialog leaves the browser's own button only.
    await page.goBack()
    await page.getByText('1 of 2').waitFor()
    await page.goBack()
    await page.locator('a.open').first().waitFor()
    answer()
    const listed = page.locator('.undone li')
    await expect
      .poll(async () => (await listed.allTextContents()).sort())
      .toEqual(['Stripe NOK\u00a081.00: The acceptance failed: Too late.', 'Stripe NOK\u00a082.00: Refused.'])
  })
})
