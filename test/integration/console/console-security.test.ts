import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { visible } from '../../../console/parts/visible.ts'
import { until } from '../../harness/until.ts'
import { installedBrowser } from '../../interface/reference-page.ts'
import { stubDrafts } from '../../interface/resources.ts'
import { addCase, uploadNamed } from './cases.ts'
import { HOSTILE } from './hostile.ts'
import { openScene, type Scene, signIn } from './scene.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no hostile text is shown in a browser')

describe.skipIf(!executable)('hostile texts and pages', () => {
  let visits: Visits
  const scenes: Scene[] = []
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
    stubDrafts(visits.shop.stage.deps)
  })
  afterEach(async () => {
    for (const { context } of scenes.splice(0)) await context.close()
    await visits.leave()
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  /** A signed-in page that notices what is executed, and whatever opens. */
  async function watched(path: string) {
    const { shop, browser } = visits
    const scene = await openScene(browser, shop.origin)
    scenes.push(scene)
    const { page } = scene
    const opened: string[] = []
    page.on('dialog', (dialog) => {
      opened.push(dialog.message())
      void dialog.dismiss()
    })
    scene.context.on('page', (other) => opened.push(other.url()))
    await scene.context.addInitScript('window.executed = []; window.ran = (n) => window.executed.push(n)')
    await page.goto(`${shop.origin}/console/${path}`)
    await signIn(page, (await shop.issue('work', HOSTILE[0] ?? '')).token)
    return { ...scene, opened }
  }
  async function expectQuiet(page: Page, where: string) {
    expect(await page.evaluate('window.executed'), where).toEqual([])
    const made =
      'main script, main object, main embed, main base, main meta, main form[action], main img, main style, main link'
    expect(await page.locator(made).count(), where).toBe(0)
  }
  const bodyText = async (page: Page) => ((await page.locator('body').textContent()) ?? '').replaceAll('\u00a0', ' ')

  it('what a PSP, a client, a file or a name brings is shown as it was typed, on every screen, and nothing of it runs', async () => {
    const { shop } = visits
    const { stage } = shop
    for (const [index, text] of HOSTILE.entries()) {
      const named = await uploadNamed(shop, text.replaceAll(/[\\/]/g, '∕').slice(0, 100))
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
            { id: text, kept: true, text, exhibits: [text] },
            { id: `${text} left`, kept: false, why: text, exhibits: [] },
          ],
          exhibits: [
            { letter: text, fileId: '0198c5a4-6666-7d60-9a55-2f4b1f6f7d10', kind: text as never, caption: text },
          ],
          filesLeft: [{ fileId: named, why: text }],
          ...{ requiredMissing: [text], missing: [`${text} again`], warnings: [text] },
        },
      )
      const points = await stage.call('PATCH', `/v1/chargebacks/${id}`, {
        body: { shippingCarrier: text, orderItems: [{ name: text, note: { deep: text } }], whatever: text },
      })
      expect(points.status, `${points.text} ${text}`).toBe(201)
      await shop.note(id, text, { reason: text, [text.slice(0, 100)]: text }, { reason: text })
    }
    const ids = await stage.db.selectFrom('chargeback').select(['id', 'reason']).orderBy('id').execute()
    expect(ids).toHaveLength(HOSTILE.length)

    const { page, faults, opened } = await watched('queue?pspStatus=needs_response')
    await page.locator('a.open').first().waitFor()
    const queue = await bodyText(page)
    for (const text of HOSTILE) expect(queue).toContain(visible(text))
    await expectQuiet(page, 'queue')
    for (const { id, reason } of ids) {
      const text = visible(reason ?? '')
      await page.goto(`${shop.origin}/console/chargebacks/${id}`)
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await page.locator('.points').waitFor()
      expect(await bodyText(page)).toContain(text)
      await page.keyboard.press('e')
      await page.getByRole('heading', { name: 'What it says' }).waitFor()
      await page.locator('.pdf iframe').waitFor()
      expect(await page.locator('section[aria-labelledby="evidence"]').textContent()).toContain(text)
      for (const summary of await page.locator('section[aria-labelledby="evidence"] summary').all())
        await summary.click()
      await page.getByRole('button', { name: 'Accept…' }).click()
      await page.keyboard.press('Escape')
      await page.emulateMedia({ media: 'print' })
      await page.emulateMedia({ media: 'screen' })
      await expectQuiet(page, text)
      expect(await page.title()).toBe('Chargeback · Recoup')
      const links = (await page
        .locator('main a')
        .evaluateAll((found) => found.map((link) => (link as unknown as { protocol: string }).protocol))) as string[]
      for (const protocol of links) expect(['http:', 'https:', 'blob:']).toContain(protocol)
    }
    for (const text of HOSTILE.slice(0, 10)) {
      await page.goto(`${shop.origin}/console/queue?${new URLSearchParams({ search: text, reason: text, sort: text })}`)
      await page.locator('main').getByText(/\w/).first().waitFor()
      await expectQuiet(page, `an address with ${text}`)
    }
    // The addresses of the last loop are refused by the API, which the browser reports.
    expect(faults.filter((fault) => !/status of 400/.test(fault))).toEqual([])
    expect(opened).toEqual([])
  }, 600_000)

  it('a hostile merchant, credential and saved view', async () => {
    const { shop } = visits
    await shop.stage.db
      .updateTable('merchant')
      .set({ merchant_name: HOSTILE[8] ?? '' })
      .execute()
    const { page, faults, opened } = await watched('queue?pspStatus=needs_response&psp=stripe')
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
    expect([faults, opened]).toEqual([[], []])
  })

  it.each([
    '//evil.example/console/queue',
    '/\\evil.example',
    '\\\\evil.example',
    'https:evil.example',
    'https://evil.example/console/queue',
    'javascript:ran(1)',
    'data:text/html,<script>ran(1)</script>',
    '/console/../v1/openapi.json',
    '/console/%2e%2e/docs',
    'http://evil.example@/console/queue',
    '/console/sign-in?return=//evil.example',
    '%2f%2fevil.example',
  ])('after a sign-in that was asked to return to %s the person is in the queue', async (target) => {
    const { shop, browser } = visits
    const scene = await openScene(browser, shop.origin)
    scenes.push(scene)
    const { page, faults } = scene
    await page.goto(`${shop.origin}/console/sign-in?${new URLSearchParams({ return: target })}`)
    await signIn(page, (await shop.issue('read', 'Jana')).token)
    await page.locator('.rail').waitFor()
    expect(new URL(page.url()).origin + new URL(page.url()).pathname).toBe(`${shop.origin}/console/queue`)
    expect(faults).toEqual([])
  })

  it('a page of another origin that knows the addresses reads nothing, does nothing and frames nothing', async () => {
    const { shop } = visits
    const id = await addCase(shop)
    const { page, context } = await watched(`chargebacks/${id}`)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    const evil = await context.newPage()
    // The same host on another port is another origin, but the same site: its cookies go along.
    await context.unroute('**/*')
    await context.route('http://localhost:9/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>evil</p>' }),
    )
    await context.route('http://127.0.0.1:9/**', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>evil</p>' }),
    )
    const before = await shop.stage.db
      .selectFrom('timeline_event')
      .selectAll()
      .where('chargeback_id', '=', id)
      .execute()
    for (const from of ['http://localhost:9/', 'http://127.0.0.1:9/']) {
      await evil.goto(from)
      const tried = (await evil.evaluate(`(async () => {
        const at = '${shop.origin}/console'
        const results = []
        const outcome = (promise) => promise.then((response) => response.type + ' ' + response.status, () => 'refused')
        for (const path of ['/v1/chargebacks/${id}', '/v1/me', '/session', '/v1/files/${id}/content'])
          results.push(await outcome(fetch(at + path, { credentials: 'include' })))
        for (const type of ['application/json', 'text/plain'])
          results.push(await outcome(fetch(at + '/v1/chargebacks/${id}/accept', { method: 'POST', credentials: 'include', headers: { 'content-type': type }, body: '{}' })))
        // Without CORS the request is sent, and its response is not read.
        await outcome(fetch(at + '/v1/chargebacks/${id}/accept', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }))
        const form = document.createElement('form')
        Object.assign(form, { method: 'POST', action: at + '/v1/chargebacks/${id}/accept', target: 'hidden' })
        const frame = Object.assign(document.createElement('iframe'), { name: 'hidden' })
        document.body.append(frame, form)
        const loaded = new Promise((done) => frame.addEventListener('load', done, { once: true }))
        form.submit()
        await loaded
        const image = new Image()
        const failed = new Promise((done) => { image.onload = () => done('shown'); image.onerror = () => done('refused') })
        image.src = at + '/v1/chargebacks/${id}'
        results.push(await failed)
        return results
      })()`)) as string[]
      expect(tried, from).toEqual(tried.map(() => 'refused'))
      for (const address of ['/console', `/console/chargebacks/${id}`, `/console/v1/chargebacks/${id}`]) {
        const attached = evil.waitForEvent('frameattached')
        await evil.evaluate(
          `document.body.append(Object.assign(document.createElement('iframe'), { src: '${shop.origin}${address}' }))`,
        )
        const frame = await attached
        await until('the frame has loaded something', async () => frame.url(), {
          holds: (url) => url !== '' && url !== 'about:blank',
        })
        const shown = await frame.evaluate('document.body ? document.body.textContent : ""').catch(() => '')
        expect(shown, address).not.toMatch(/Timeline|chargebackId|Due/)
      }
    }
    expect(await shop.stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).execute()).toEqual([])
    expect(
      await shop.stage.db.selectFrom('timeline_event').selectAll().where('chargeback_id', '=', id).execute(),
    ).toEqual(before)
    // The person's own page works on.
    await page.reload()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
  })

  it('token and persons are in no address, storage, title or cookie that a script reads', async () => {
    const { shop } = visits
    const id = await addCase(shop, { reason: 'Jane Roe' })
    const { page, context } = await watched(`chargebacks/${id}?tab=evidence`)
    await page.locator('.pdf iframe').waitFor()
    const kept = (await page.evaluate(
      'JSON.stringify([document.cookie, document.title, location.href, { ...localStorage }, { ...sessionStorage }, history.state])',
    )) as string
    expect(kept).not.toMatch(/eyJ|Jane/)
    const [cookie] = await context.cookies()
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' })
    // Nothing that a browser may keep on its disk but code and styles.
    const kinds = await page.evaluate(
      'caches.keys().then(async (keys) => [keys.length, (await indexedDB.databases()).length, (await navigator.serviceWorker.getRegistrations()).length])',
    )
    expect(kinds).toEqual([0, 0, 0])
  })
})
