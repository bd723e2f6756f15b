import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { visible } from '../../../../console/parts/visible.ts'
import { quarantine } from '../../../../db/polling/quarantine.ts'
import { installedBrowser } from '../../../interface/reference-page.ts'
import type { Scene } from '../scene.ts'
import { openVisits, type Visits } from '../visits.ts'
import { HOSTILE } from './hostile.ts'
import { bodyText, expectQuiet, HOSTILE_NAME, openDialogs, openWatched } from './watched.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no hostile text is shown in a room')

/** Webhook endpoints of a merchant, at most: each has several texts. */
const ENDPOINTS = 16
/** Characters that no secret can have. */
const CONTROL = /\p{Cc}/u
const secretsOf = (text: string) => ({ apiKey: text, storeUrl: text, shopName: text, [text]: text })
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

  async function watched(path: string, token?: string): Promise<Scene> {
    const { shop, browser } = visits
    const own = token ?? (await shop.issue('manage', HOSTILE_NAME)).token
    const scene = await openWatched(browser, shop.origin, path, own)
    scenes.push(scene)
    return scene
  }
  /** Opens a path of the console in the same page. @param ready what is there once all of it is loaded */
  async function go({ page }: Scene, path: string, ready: string): Promise<string> {
    await page.goto(`${visits.shop.origin}/console/${path}`)
    await page.locator(ready).first().waitFor()
    await expectQuiet(page, path)
    return bodyText(page)
  }

  it('an integration: its name, account, problem and rules, and what the PSP sent that could not be read', async () => {
    const { stage } = visits.shop
    const { db, ring } = stage
    const ids: string[] = []
    for (const [index, text] of HOSTILE.entries()) {
      // By a credential with the same name, which the audit shows.
      const { token } = await visits.shop.issue('manage', text)
      const body = {
        ...{ integrationName: HOSTILE.at(index - 1), externalIdentifier: `${text} ${index}`, source: 'recoup_sandbox' },
        ...{ secretType: 'APIKEY', secretPayload: secretsOf(text), merchantAccountCodes: [text] },
      }
      const create = (change: object) => stage.call('POST', '/v1/integrations', { token, body: { ...body, ...change } })
      for (const name of ['source', 'secretType', 'goLiveDate', 'parentIntegrationId'])
        expect((await create({ [name]: text })).status, `${name} ${text}`).toBeGreaterThanOrEqual(400)
      if (CONTROL.test(text)) {
        expect((await create({})).body, text).toMatchObject({ code: 'configuration_invalid' })
        body.secretPayload = secretsOf('key')
      }
      const made = await create({})
      expect(made.status, `${made.text} ${text}`).toBe(201)
      const id = made.body.integrationId
      // As the PSP answers.
      await db
        .updateTable('integration')
        .set({ psp_account: text, status: 'FAILED', status_reason: text })
        .where('integration_id', '=', id)
        .execute()
      const found = { reference: text, reason: text, text: JSON.stringify({ text }), hash: Buffer.alloc(32, index + 1) }
      await quarantine(db, ring, id, [found], [], 1)
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
    for (const id of [ids[0], reordering]) {
      await go(scene, `integrations/${id}`, 'main h1')
      await openDialogs(scene.page, ['Pause polls…', 'Rename…', 'Replace the key…', 'Deactivate…'])
    }
    await go(scene, 'rules?tab=automatic', '.form')
    await go(scene, 'rules?tab=playbooks', '.playbook')
    await go(scene, `rules?integration=${reordering}`, 'main select')
    const names = await scene.page.getByLabel('Integration').locator('option').allTextContents()
    expect(names).toEqual(expect.arrayContaining(SHOWN.map((text) => `${text} (recoup_sandbox)`)))
    await scene.page.getByLabel('American Express').check()
    await scene.page.getByRole('button', { name: 'Show what would change' }).click()
    await scene.page.getByRole('button', { name: 'Save these rules…', disabled: false }).click()
    await scene.page.getByRole('dialog', { name: 'Save these rules?' }).waitFor()
    await expectQuiet(scene.page, 'saving rules')
  }, 300_000)

  it('a webhook endpoint: its description and its address', async () => {
    const { stage } = visits.shop
    const each = Math.ceil(HOSTILE.length / ENDPOINTS)
    const ids: string[] = []
    for (let from = 0; from < HOSTILE.length; from += each) {
      const words = HOSTILE.slice(from, from + each)
      const url = `https://receiver.example/?q=${words.join('').replaceAll('#', '')}`
      for (const refused of [{ url: words[0] }, { events: words }, { payload: words[0] }, { signature: words[0] }]) {
        const body = { url, events: ['*'], ...refused }
        const { status } = await stage.call('POST', '/v1/webhook-endpoints', { body })
        expect(status, `${Object.keys(refused)} ${words}`).toBe(400)
      }
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
    await openDialogs(scene.page, ['Send events again…', 'Replace the secret…', 'Change…', 'Disable…', 'Delete…'])
    await scene.page.getByRole('button', { name: 'Replace the secret…' }).click()
    await scene.page.getByRole('button', { name: 'Replace the secret', exact: true }).click()
    await scene.page.getByRole('dialog', { name: 'Store this secret now' }).waitFor()
    await expectQuiet(scene.page, 'a secret')
    await go(scene, 'webhooks?new=1', 'main form')
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
  }, 120_000)

  it('the names of merchants to choose from', async () => {
    const { stage } = visits.shop
    const { accountId } = stage
    const { token } = await stage.issue({ accountId, scope: 'account', role: 'manage', name: HOSTILE_NAME })
    for (const [index, text] of HOSTILE.entries()) {
      const body = {
        ...{ merchantName: text, firstName: text, lastName: text, mcc: text, mccDescription: text },
        ...{ email: 'owner@example.com', websiteUrl: `https://shop.example/${encodeURI(text)}` },
        referenceId: `hostile-${index}`,
      }
      const create = (change: object) =>
        stage.call('POST', '/v1/merchants', { token, body: { ...body, ...change } }).then(({ status }) => status)
      for (const name of ['email', 'websiteUrl', 'activationDate'])
        expect(await create({ [name]: text }), `${name} ${text}`).toBe(400)
      expect(await create({}), text).toBe(201)
    }
    const scene = await watched('queue', token)
    const picker = scene.page.getByLabel('Merchant')
    await picker.waitFor()
    const names = await picker.locator('option').allTextContents()
    expect(names).toEqual(expect.arrayContaining(SHOWN))
    await expectQuiet(scene.page, 'merchants')
    // What names the merchant: a case that isn't there.
    scene.expects(/status of 404/)
    const reordering = HOSTILE.findIndex((text) => text.startsWith('\u202e'))
    const nowhere = `chargebacks/0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10?m=hostile-${reordering}`
    expect(await go(scene, nowhere, '.empty')).toContain(`There is no chargeback with this id in ${SHOWN[reordering]}.`)
  })
})
