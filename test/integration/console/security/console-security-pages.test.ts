import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../../harness/until.ts'
import { installedBrowser } from '../../../interface/reference-page.ts'
import { addCase } from '../cases.ts'
import { openVisits, type Visits } from '../visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no hostile page is opened in a browser')

/** A site that is not Recoup. */
async function servePage(body: string) {
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(body))
  await new Promise<void>((resolve) => server.listen(0, resolve))
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe.skipIf(!executable)('hostile pages', () => {
  let visits: Visits
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())

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
    const { shop } = visits
    const { page } = await visits.open(`sign-in?${new URLSearchParams({ return: target })}`, {}, 'read')
    await page.locator('.rail').waitFor()
    expect(new URL(page.url()).origin + new URL(page.url()).pathname).toBe(`${shop.origin}/console/queue`)
  })

  it('a page of another origin that knows the addresses reads nothing, does nothing and frames nothing', async () => {
    const { shop } = visits
    const id = await addCase(shop)
    const { page, context, expects } = await visits.open(`chargebacks/${id}`)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    // The browser refuses each of these, and logs an error for it.
    expects(/CORS policy|ERR_FAILED|ERR_BLOCKED|status of 403|frame-ancestors|X-Frame-Options/)
    // A server: a browser lets no page that a test makes up ask this computer for anything.
    await using elsewhere = await servePage('<p>evil</p>')
    expects(new RegExp(`a request to http://(localhost|127.0.0.1):${elsewhere.port}/`))
    const evil = await context.newPage()
    const refusals = () => shop.stage.lines.filter((line) => line.includes('cross_site_request')).length
    const before = await shop.stage.db
      .selectFrom('timeline_event')
      .selectAll()
      .where('chargeback_id', '=', id)
      .execute()
    // The same host on another port is another origin, but the same site: its cookies go along.
    for (const host of ['localhost', '127.0.0.1']) {
      const from = `http://${host}:${elsewhere.port}/`
      const refusedBefore = refusals()
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
      // Reads, acts without CORS, the form and the image arrive. What the browser asks for first is refused, too.
      expect(refusals() - refusedBefore, from).toBeGreaterThanOrEqual(7)
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

  it('what the policy forbids is refused, and fails a test that does not expect it', async () => {
    const { page, faults } = await visits.open('queue')
    await page.getByRole('heading', { name: 'Queue' }).waitFor()
    await page.evaluate("new Image().src = 'https://evil.example/x.png'")
    await expect.poll(() => faults.length).toBe(2)
    expect(faults.splice(0)).toEqual([
      expect.stringContaining('Content Security Policy'),
      'a request to https://evil.example/x.png',
    ])
  })

  it('the page may copy, and use no other feature that asks the person or reaches a device', async () => {
    const { page } = await visits.open('queue')
    await page.getByRole('heading', { name: 'Queue' }).waitFor()
    const allowed = (await page.evaluate('document.featurePolicy.allowedFeatures()')) as string[]
    expect(allowed).toContain('clipboard-write')
    for (const name of ['camera', 'clipboard-read', 'display-capture', 'fullscreen', 'hid', 'local-fonts', 'serial'])
      expect(allowed).not.toContain(name)
    // A browser warns about a name that it doesn't know.
  })

  it('token and persons are in no address, storage, title or cookie that a script reads', async () => {
    const { shop } = visits
    const id = await addCase(shop, { reason: 'Jane Roe' })
    const { page, context } = await visits.open(`chargebacks/${id}?tab=evidence`)
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
