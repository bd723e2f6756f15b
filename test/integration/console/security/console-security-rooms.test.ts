import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { visible } from '../../../../console/parts/visible.ts'
import { storeAlert } from '../../../../db/alerts/alerts.ts'
import { quarantine } from '../../../../db/polling/quarantine.ts'
import { installedBrowser } from '../../../interface/reference-page.ts'
import { addIntegration } from '../../api/chargebacks/chargeback-rows.ts'
import type { Scene } from '../scene.ts'
import { openVisits, type Visits } from '../visits.ts'
import { HOSTILE } from './hostile.ts'
import { bodyText, expectQuiet, HOSTILE_NAME, openWatched, type Watched } from './watched.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no hostile text is shown in a room')

/** Webhook endpoints of a merchant, at most: each has several texts. */
const ENDPOINTS = 16
const SHOWN = HOSTILE.map(visible)

describe.skipIf(!executable)('hostile texts in the rooms next to the queue', () => {
  let visits: Visits
  const scenes: Scene[] = []
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
  })
  afterEach(async () => {
    for (const { context } of scenes.splice(0)) await context.close()
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  async function watched(path: string, token?: string): Promise<Watched> {
    const { shop, browser } = visits
    const own = token ?? (await shop.issue('manage', HOSTILE_NAME)).token
    const scene = await openWatched(browser, shop.origin, path, own)
    scenes.push(scene)
    return scene
  }
  /** Opens a path of the console in the same page. @param ready what is there once all of it is loaded */
  async function go({ page }: Watched, path: string, ready: string): Promise<string> {
    await page.goto(`${visits.shop.origin}/console/${path}`)
    await page.locator(ready).first().waitFor()
    await expectQuiet(page, path)
    return bodyText(page)
  }
  const isQuiet = ({ faults, opened }: Watched) => expect([faults, opened]).toEqual([[], []])

  it('an alert as a PSP brings it, in its row and in the report of its outcome', async () => {
    const { stage, at } = visits.shop
    for (const [index, text] of HOSTILE.entries())
      await storeAlert(stage.db, at, {
        ...{ reference: `${text}${index}`, psp: 'stripe', providerName: null, alertDate: null },
        ...{ money: { currency: 'EUR', amountMinor: 1_099n, amountExponent: 2 } },
        // The row shows the payment's id, or its ARN.
        ...{ transactionId: index % 2 === 0 ? text : null, arn: text, externalTransactionIdentifier: text },
        ...{ reasonCode: text, reason: text, fraudType: text, bin: text, cardLastFourDigits: text },
        ...{ cardScheme: text as never, paymentMethod: text as never },
      })
    const scene = await watched('alerts')
    const { page } = scene
    const seen: string[] = []
    for (const number of [1, 2]) {
      seen.push(await go(scene, `alerts?page=${number}`, 'tbody tr'))
      for (const row of await page.locator('tbody tr').all())
        expect(await row.locator('.foreign').count()).toBeGreaterThanOrEqual(2)
      await page
        .getByRole('button', { name: /^Report the outcome/ })
        .first()
        .click()
      await page.getByRole('dialog', { name: /What became of the alert/ }).waitFor()
      await expectQuiet(page, 'the outcome of an alert')
      await page.keyboard.press('Escape')
    }
    for (const text of SHOWN) expect(seen.join()).toContain(text)
    isQuiet(scene)
  }, 120_000)

  it('an integration: its name, account, problem and rules, and what the PSP sent that could not be read', async () => {
    const { stage } = visits.shop
    const { db, ring, merchantUuid } = stage
    const ids: string[] = []
    for (const [index, text] of HOSTILE.entries()) {
      const id = await addIntegration(db, ring, merchantUuid, { externalIdentifier: `${text} ${index}` })
      await db
        .updateTable('integration')
        .set({ psp_account: text, status: 'FAILED', status_reason: text })
        .where('integration_id', '=', id)
        .execute()
      const found = { reference: text, reason: text, text: JSON.stringify({ text }), hash: Buffer.alloc(32, index + 1) }
      await quarantine(db, ring, id, [found], [], 1)
      // By a credential with the same name, which the audit shows.
      const { token } = await visits.shop.issue('manage', text)
      const renamed = await stage.call('PATCH', `/v1/integrations/${id}`, { token, body: { integrationName: text } })
      expect(renamed.status, `${renamed.text} ${text}`).toBe(200)
      ids.push(id)
    }
    const scene = await watched('integrations')
    const list = await go(scene, 'integrations', '.rows li')
    for (const text of SHOWN) expect(list).toContain(text)
    for (const [index, id] of ids.entries()) {
      const unread = 'section[aria-labelledby="quarantine"] tbody tr'
      await go(scene, `integrations/${id}`, unread)
      expect(await scene.page.locator(unread).textContent()).toContain(SHOWN[index])
      expect(await scene.page.locator('main h1').textContent()).toBe(SHOWN[index])
    }
    const reordering = ids[HOSTILE.findIndex((text) => text.startsWith('\u202e'))]
    await go(scene, `rules?integration=${reordering}`, 'main select')
    const names = await scene.page.getByLabel('Integration').locator('option').allTextContents()
    expect(names).toEqual(expect.arrayContaining(SHOWN.map((text) => `${text} (stripe)`)))
    await scene.page.getByLabel('American Express').check()
    await scene.page.getByRole('button', { name: 'Show what would change' }).click()
    await scene.page.getByRole('button', { name: 'Save these rules…', disabled: false }).click()
    await scene.page.getByRole('dialog', { name: 'Save these rules?' }).waitFor()
    await expectQuiet(scene.page, 'saving rules')
    isQuiet(scene)
  }, 300_000)

  it('a webhook endpoint: its description and its address', async () => {
    const { stage } = visits.shop
    const each = Math.ceil(HOSTILE.length / ENDPOINTS)
    const ids: string[] = []
    for (let from = 0; from < HOSTILE.length; from += each) {
      const words = HOSTILE.slice(from, from + each)
      const url = `https://receiver.example/?q=${words[0]}`
      const { status, body, text } = await stage.call('POST', '/v1/webhook-endpoints', {
        body: { url, events: ['*'], description: words.join(' ') },
      })
      expect(status, text).toBe(201)
      ids.push(body.id)
    }
    const scene = await watched('webhooks')
    const list = await go(scene, 'webhooks', '.row')
    for (const text of SHOWN) expect(list).toContain(text)
    for (const id of ids) await go(scene, `webhooks/${id}`, '#facts')
    isQuiet(scene)
  }, 120_000)

  it('the audit: who did it and what it was and is', async () => {
    const scene = await watched('audit')
    const { page } = scene
    let seen = await go(scene, 'audit', 'tbody tr')
    const earlier = page.getByRole('button', { name: 'Earlier ones' })
    while ((await earlier.count()) > 0) {
      const address = page.url()
      await earlier.click()
      await page.waitForURL((url) => url.href !== address)
      seen += await go(scene, page.url().split('/console/')[1] ?? '', 'tbody tr')
    }
    for (const text of SHOWN) expect(seen).toContain(text)
    isQuiet(scene)
  }, 120_000)

  it('the names of merchants to choose from', async () => {
    const { stage } = visits.shop
    const { accountId, db } = stage
    for (const [index, text] of HOSTILE.entries()) {
      const { merchantUuid } = await stage.newMerchant(accountId, `hostile-${index}`)
      await db.updateTable('merchant').set({ merchant_name: text }).where('merchant_uuid', '=', merchantUuid).execute()
    }
    const { token } = await stage.issue({ accountId, scope: 'account', role: 'read', name: HOSTILE_NAME })
    const scene = await watched('queue', token)
    const picker = scene.page.getByLabel('Merchant')
    await picker.waitFor()
    const names = await picker.locator('option').allTextContents()
    expect(names).toEqual(expect.arrayContaining(SHOWN))
    await expectQuiet(scene.page, 'merchants')
    isQuiet(scene)
  })
})
