import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { endCommand } from '../../../db/commands/command-ends.ts'
import { loadCommand } from '../../../db/commands/commands.ts'
import { samplePng } from '../../harness/sample-files.ts'
import { installedBrowser } from '../../interface/reference-page.ts'
import { addIntegration } from '../api/chargebacks/chargeback-rows.ts'
import { addCase, uploadNamed } from './cases.ts'
import { checkAccessibility, pasted, textOf } from './scene.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no exhibit is opened in a browser')

describe.skipIf(!executable)('what a case shows, and what a person passes on of it', () => {
  let visits: Visits
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())
  const path = (of: string) => `chargebacks/${of}?tab=evidence`
  const ready = (page: Page) => page.getByRole('heading', { name: /^Evidence v/ }).waitFor()

  it('exhibits open as they were uploaded: a PDF, a picture, and one that is gone says so; readers see none', async () => {
    const { shop } = visits
    const pdf = await uploadNamed(shop, 'letter.pdf')
    const gone = await uploadNamed(shop, 'gone.pdf')
    const picture = await uploadNamed(shop, 'parcel.png', {}, { purpose: 'evidence_image', content: samplePng() })
    const own = await addCase(
      shop,
      {},
      {
        exhibits: [
          { letter: 'A', fileId: pdf, kind: 'delivery', pages: 1 },
          { letter: 'B', fileId: picture, kind: 'photo', pages: 1 },
          { letter: 'C', fileId: gone, kind: 'other', pages: 1 },
        ],
      },
    )
    await shop.stage.db.deleteFrom('file').where('file_id', '=', gone).execute()
    const { page, expects } = await visits.open(path(own))
    const exhibit = (letter: string) => page.locator('.exhibit').filter({ hasText: `Show exhibit ${letter}` })
    await exhibit('A').locator('summary').click()
    await exhibit('A').locator('iframe[title="Exhibit A"][src^="blob:"]').waitFor()
    await exhibit('A').getByRole('link', { name: 'Open the PDF in a new tab' }).waitFor()
    // After the first one is open: while it opens, everything below moves, and a click can miss.
    await exhibit('B').locator('summary').click()
    const shown = exhibit('B').getByRole('img', { name: 'Exhibit B' })
    await shown.waitFor()
    // Decoded, so it is the picture itself.
    await expect.poll(() => shown.evaluate((img: { naturalWidth: number }) => img.naturalWidth)).toBeGreaterThan(0)
    await exhibit('B').getByRole('link', { name: 'Open the picture in a new tab' }).waitFor()
    await checkAccessibility(page, 'exhibits')
    expects(/status of 4/)
    await exhibit('C').locator('summary').click()
    await exhibit('C').getByRole('alert').waitFor()
    await page.getByText('1 sentence left out').click()
    await page.getByText('Signed: missing: deliverySignedBy').waitFor()
    const reader = await visits.open(path(own), {}, 'read')
    await ready(reader.page)
    expect(await reader.page.locator('.exhibit').count()).toBe(0)
    await reader.page.getByText(/may name persons\. People whose role is work can read them/).waitFor()
    await reader.page.getByText('Delivered [A').waitFor()
    expect(await reader.page.getByText(/The parcel was delivered/).count()).toBe(0)
  })

  it('its link is copied, or shown where the browser refuses; the time left is by the service’s clock', async () => {
    // Half an hour past a whole one: the page counts by the service's clock, whose seconds are whole.
    const due = new Date(Date.now() + 89.5 * 3_600_000)
    const { page } = await visits.open(path(await addCase(visits.shop, { due_date: due })), {
      timezoneId: 'Asia/Tokyo',
    })
    await ready(page)
    const left = page.getByText(/Due in 3 d 17 h ·/)
    expect(await textOf(left.locator('time'))).toMatch(/ GMT\+9$/)
    expect(await left.locator('time').getAttribute('title')).toBe(
      `${due.toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    )
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('button', { name: 'Link copied' }).waitFor()
    expect(await pasted(page)).toBe(page.url())
    await page.getByRole('heading', { level: 1 }).click()
    await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))`)
    await page.keyboard.press('c')
    await page.getByRole('button', { name: 'Copy link' }).click()
    expect(await page.getByLabel('Link', { exact: true }).inputValue()).toBe(page.url())
    // A machine whose clock is five days ahead.
    await page.clock.install({ time: Date.now() + 5 * 86_400_000 })
    await page.reload()
    await left.waitFor()
  })

  it('an act that the PSP does not take at this stage says so before anybody tries it', async () => {
    const { stage, add } = visits.shop
    const { db, ring, merchantUuid } = stage
    const integration_id = await addIntegration(db, ring, merchantUuid, { source: 'adyen', secretType: 'HMAC' })
    for (const [lifecycle_stage, refused] of [
      ['inquiry', { accept: 'Accept…' }],
      ['alert', { accept: 'Accept…', submit: 'Review and submit…' }],
    ] as const) {
      const [own = ''] = await add([{ psp: 'adyen', integration_id, lifecycle_stage }])
      const { actions } = (await stage.call('GET', `/v1/chargebacks/${own}?expand=actions`)).body.data
      const { page } = await visits.open(`chargebacks/${own}`)
      for (const [act, label] of Object.entries(refused)) {
        const button = page.getByRole('button', { name: label }).and(page.locator('[aria-disabled="true"]'))
        const why = page.locator(`[id="${await button.getAttribute('aria-describedby')}"]`)
        expect(actions[act].why).toContain(`at the stage ${lifecycle_stage}`)
        expect(await textOf(why)).toContain(actions[act].why)
        expect(await why.isVisible()).toBe(true)
        await button.dispatchEvent('click')
      }
      expect(await page.getByRole('button', { name: /^(Accept|Review)/, disabled: true }).count()).toBe(
        Object.keys(refused).length,
      )
      expect(await page.getByRole('dialog').count()).toBe(0)
      expect(page.url()).not.toContain('tab=')
    }
  })

  it('the chance is the sum of its signed bars, each with its reason; what is missing has what Visa asks for', async () => {
    const [own = ''] = await visits.shop.add([
      {
        ...{ card_scheme: 'visa', reason_code: '10.4', lifecycle_stage: 'second_chargeback' },
        ...{ win_probability: '57', roi_recommendation: 'Fight', due_date: new Date(Date.now() + 9 * 86_400_000) },
      },
    ])
    const { data } = (await visits.shop.stage.call('GET', `/v1/chargebacks/${own}/assessment`)).body
    const reasons: { effect: number; why: string }[] = data.reasons
    expect(new Set(reasons.map(({ effect }) => Math.sign(effect)))).toEqual(new Set([-1, 1]))
    const { page } = await visits.open(`chargebacks/${own}`)
    await page.getByRole('heading', { name: '57 % to win · advice: Fight' }).waitFor()
    const shown = await page.locator('.bars tbody tr').evaluateAll((rows) =>
      rows.map((row) => {
        const [why, , figure] = [...row.children].map(({ textContent }) => textContent)
        const [x = 0, width = 0] = ['x', 'width'].map((name) => Number(row.querySelector('rect')?.getAttribute(name)))
        return { why, figure, from: x, to: x + width }
      }),
    )
    const widest = Math.max(...reasons.map(({ effect }) => Math.abs(effect)))
    for (const [index, { effect, why }] of reasons.entries()) {
      const figure = `${effect < 0 ? '−' : '+'}${Math.abs(effect).toFixed(1)}`
      const end = (effect / widest) * 50
      expect(shown[index], why).toEqual({ why, figure, from: Math.min(0, end), to: expect.closeTo(Math.max(0, end)) })
    }
    expect(shown).toHaveLength(reasons.length)
    const sum = shown.reduce((all, { figure }) => all + Number(figure?.replace('−', '-')), 0)
    expect(sum).toBeCloseTo(57, 5)
    expect(await textOf(page.locator('.bars tfoot'))).toBe('Together57.0')
    const missing = page.locator('section[aria-labelledby="missing"]')
    await missing.getByRole('heading', { name: 'Visa compelling evidence 3.0' }).waitFor()
    expect(data.compellingEvidence.missing).not.toEqual([])
    for (const text of [data.compellingEvidence.why, ...data.compellingEvidence.missing])
      await missing.getByText(text, { exact: true }).waitFor()
  })

  it('the timeline has the newest first, with what changed, and shows one source alone', async () => {
    const { note, stage } = visits.shop
    const own = await addCase(visits.shop)
    await note(own, 'details changed', { amount: '30.00' }, { amount: '20.00' })
    const { token } = await visits.shop.issue('work', 'Omar')
    await stage.call('PATCH', `/v1/chargebacks/${own}`, { token, body: { shippingCarrier: 'DHL' } })
    await note(own, 'the last of all')
    const { page } = await visits.open(`chargebacks/${own}`)
    const shown = page.locator('.timeline strong')
    const from = page.locator('section[aria-labelledby="timeline"]').getByLabel('From')
    const told: { what: string; source: string }[] = (await stage.call('GET', `/v1/chargebacks/${own}/timeline`)).body
      .data
    const whats = told.map(({ what }) => what).toReversed()
    expect(whats[0]).toBe('the last of all')
    await expect.poll(() => shown.allTextContents()).toEqual(whats)
    expect(await textOf(page.locator('.timeline > li', { hasText: 'data points changed' }))).toContain('api by Omar')
    await from.selectOption('stripe')
    await expect.poll(() => shown.allTextContents()).toEqual(['the last of all', 'details changed'])
    expect(await page.locator('.timeline .changes').allTextContents()).toEqual(['Amount20.00 → 30.00'])
    await page.getByRole('heading', { name: `Timeline (${told.length})` }).waitFor()
    await from.selectOption('all')
    await expect.poll(() => shown.count()).toBe(told.length)
  })

  it.each([
    ['acceptance', async (id: string) => visits.shop.stage.call('POST', `/v1/chargebacks/${id}/accept`)],
    [
      'evidence submission',
      async (id: string) => {
        const { stage } = visits.shop
        const { fileId } = (await stage.call('GET', `/v1/chargebacks/${id}/evidence/draft`)).body
        await stage.call('POST', `/v1/chargebacks/${id}/evidence/submit`, { body: { fileId } })
      },
    ],
  ])(
    'an %s without an answer for a day says what not to do; one that failed says why, and what is possible',
    async (kind, request) => {
      const { db } = visits.shop.stage
      const own = await addCase(visits.shop)
      await request(own)
      const asked = (hoursAgo: number) =>
        db
          .updateTable('command')
          .set({ status: 'inProgress', requested_at: new Date(Date.now() - hoursAgo * 3_600_000) })
          .where('chargeback_id', '=', own)
          .returning('command_id')
          .executeTakeFirstOrThrow()
      await asked(23)
      const open = async () => {
        const { page } = await visits.open(`chargebacks/${own}`)
        return { page, progress: page.getByRole('region', { name: new RegExp(kind, 'i') }) }
      }
      const early = await open()
      await early.progress.locator('[aria-current="step"]', { hasText: 'At Stripe' }).waitFor()
      expect(await early.progress.textContent()).not.toContain('24 hours')
      const repeated = await early.page.waitForRequest(/\/accept$|\/evidence\/submit$/)
      expect(await repeated.allHeaders()).toHaveProperty('if-none-match')
      const { command_id: commandId } = await asked(25)
      // Another visit: the first browser has the former time of the request in its cache, because that time never changes.
      const { page, progress } = await open()
      await progress.getByText(/Stripe hasn't confirmed for 24 hours\. Don't act at the PSP/).waitFor()
      await checkAccessibility(page, `late ${kind}`)

      const command = await loadCommand(db, commandId)
      if (!command) throw new Error('there is no command')
      const error = 'Stripe: the dispute is <b>closed</b>.'
      await endCommand(db, command, { status: 'failed', code: 'rejected', error }, 'stripe')
      await page.getByRole('heading', { name: `The ${kind} failed` }).waitFor()
      await progress.getByText(error).waitFor()
      await expect.poll(() => page.locator('.said-urgently').first().textContent()).toBe(`The ${kind} failed`)
      await page.getByRole('button', { name: 'Accept…' }).and(page.locator('[aria-disabled="false"]')).waitFor()
    },
  )
})
