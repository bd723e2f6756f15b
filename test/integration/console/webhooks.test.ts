import type { AddressInfo } from 'node:net'
import { type ServerType, serve } from '@hono/node-server'
import type { Browser, BrowserContextOptions, Request } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installedBrowser, startBrowser } from '../../interface/reference-page.ts'
import { answer, type Receiver, receive } from '../webhooks/receivers.ts'
import { openWebhooks, type WebhookStage } from '../webhooks/webhook-stage.ts'
import { checkAccessibility, descriptionOf, LOOKS, openScene, type Scene, signIn } from './scene.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, webhooks are not tried in a browser')

describe.skipIf(!executable)('webhooks in a real browser', () => {
  let webhooks: WebhookStage
  let server: ServerType
  let browser: Browser
  let origin: string
  let engine: ReturnType<WebhookStage['engine']>
  const scenes: Scene[] = []
  const receivers: Receiver[] = []
  beforeAll(async () => {
    webhooks = await openWebhooks()
    server = serve({ fetch: webhooks.stage.app.fetch, port: 0, hostname: '127.0.0.1' })
    await new Promise((resolve) => server.once('listening', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    engine = webhooks.engine()
    browser = await startBrowser(executable ?? '')
  })
  afterEach(async () => {
    for (const { context } of scenes.splice(0)) await context.close()
    for (const receiver of receivers.splice(0)) await receiver[Symbol.asyncDispose]()
  })
  afterAll(async () => {
    await browser?.close()
    await engine?.[Symbol.asyncDispose]()
    server?.close()
    if (server && 'closeAllConnections' in server) server.closeAllConnections()
    await webhooks?.[Symbol.asyncDispose]()
  })

  async function open(path = '', role: 'read' | 'work' | 'manage' = 'manage', options: BrowserContextOptions = {}) {
    const { accountId, merchantUuid } = webhooks.stage
    const { token } = await webhooks.stage.issue({ accountId, scope: 'merchant', merchantUuid, role, name: 'Jana' })
    const scene = await openScene(browser, origin, options)
    scenes.push(scene)
    await scene.page.goto(`${origin}/console/webhooks${path}`)
    await signIn(scene.page, token)
    return scene
  }
  async function receiver(...respond: Parameters<typeof receive>) {
    const made = await receive(...respond)
    receivers.push(made)
    return made
  }

  it('an endpoint is added, its secret shown once, a test arrives and verifies, the secret is replaced', async () => {
    const to = await receiver()
    const { page, faults } = await open()
    await page.getByText('Nothing is sent anywhere.').waitFor()
    await page.getByRole('link', { name: 'Add an endpoint' }).click()
    await page.getByLabel('Address').fill('http://10.0.0.1/hooks')
    await page.getByRole('button', { name: 'Add the endpoint' }).click()
    await page.locator('.form-field .bad').waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.className')).toContain('error-summary')
    expect(faults.splice(0)).toEqual([expect.stringContaining('400')])
    await page.getByLabel('Address').fill(to.url)
    await page.getByLabel('What it is (optional)').fill('Order system')
    await page.getByLabel('Merchant').uncheck()
    await page.getByRole('button', { name: 'Add the endpoint' }).click()
    const dialog = page.getByRole('dialog', { name: 'Store this secret now' })
    const secret = await dialog.getByLabel('the secret', { exact: true }).inputValue()
    expect(secret).toMatch(/^whsec_/)
    await checkAccessibility(page, 'the secret')
    // Neither Esc, which can't be cancelled the second time, nor the button close it before it is said to be stored.
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key)
    await dialog.getByRole('button', { name: 'Done' }).click({ force: true })
    await dialog.getByLabel('I stored the secret').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: 'Order system' }).waitFor()
    expect(await page.content()).not.toContain(secret)
    const id = new URL(page.url()).pathname.split('/').at(-1) as string
    expect((await webhooks.read(id)).events).not.toContain('merchant.*')
    expect((await webhooks.read(id)).events).toContain('chargeback.*')

    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.locator('tbody tr', { hasText: 'webhook.test' }).getByText('delivered').waitFor()
    const [sent] = to.captured
    expect(new Webhook(secret).verify(sent?.body ?? '', sent?.headers as Record<string, string>)).toBeTruthy()

    await page.getByRole('button', { name: 'Replace the secret…' }).click()
    await page.getByLabel('The old secret signs for').selectOption('0')
    await page.getByRole('button', { name: 'Replace the secret', exact: true }).click()
    const next = await dialog.getByLabel('the secret', { exact: true }).inputValue()
    await dialog.getByLabel('I stored the secret').check()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await expect.poll(() => to.captured.length).toBe(2)
    const last = to.captured.at(-1)
    expect(new Webhook(next).verify(last?.body ?? '', last?.headers as Record<string, string>)).toBeTruthy()
    expect(() => new Webhook(secret).verify(last?.body ?? '', last?.headers as Record<string, string>)).toThrow()
  })

  it('what failed is seen with its reason, and is sent again: some by hand, all of a time', async () => {
    let status = 500
    const to = await receiver((request, response) => answer(status)(request, response))
    const { id } = await webhooks.create(to.url, { description: 'Flaky' })
    await webhooks.events(3)
    await expect.poll(() => to.captured.length).toBeGreaterThanOrEqual(3)
    const { page, faults } = await open(`/${id}`)
    await page.locator('tbody tr').first().getByText('answered 500').waitFor()
    await webhooks.stage.db
      .updateTable('webhook_delivery')
      .set({ state: 'failed', finished_at: new Date() })
      .where('endpoint_id', '=', id)
      .execute()
    await page.getByLabel('State').selectOption('failed')
    expect(page.url()).toContain('state=failed')
    await expect.poll(() => page.locator('tbody tr').count()).toBe(3)
    status = 200
    await page.getByRole('checkbox').first().check()
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    await page.getByLabel('State').selectOption('delivered')
    await page.locator('tbody tr', { hasText: 'again' }).waitFor()

    await page.getByRole('button', { name: 'Send events again…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Send events again?' })
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Send nothing')
    const sent: unknown[] = []
    await page.route('**/replay', async (route) => {
      const request = route.request()
      sent.push([request.headers()['idempotency-key'], request.postData()])
      if (sent.length > 1) return route.continue()
      await route.fetch()
      await route.abort()
    })
    const act = dialog.getByRole('button', { name: 'Send again' })
    await act.click()
    await dialog.getByText('Trying again does it once only').waitFor()
    expect(faults.splice(0)).toEqual([expect.stringContaining('ERR_FAILED')])
    await act.click()
    await page.getByRole('dialog', { name: /events? (is|are) sent again/ }).waitFor()
    expect(sent, 'the second try is the same request').toEqual([sent[0], sent[0]])
    await page.getByRole('button', { name: 'Close' }).click()
  })

  it('it is changed, disabled with what waits, enabled and deleted; a deleted one is gone', async () => {
    const to = await receiver(answer(500))
    const { id } = await webhooks.create(to.url)
    const { page, expects } = await open(`/${id}`)
    await page.getByRole('button', { name: 'Change…' }).click()
    await page.getByLabel('What it is (optional)').fill('<img src=x onerror=alert(1)>')
    await page.getByLabel('Content').selectOption('thin')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor()
    expect(await webhooks.read(id)).toMatchObject({ payload: 'thin', events: ['*'] })

    await page.getByRole('button', { name: 'Disable…' }).click()
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    await page.getByText('A client or the operator disabled it.').waitFor()
    expect(await page.getByRole('button', { name: 'Send events again…' }).getAttribute('aria-disabled')).toBe('true')
    await page.getByRole('button', { name: 'Enable', exact: true }).click()
    await page.getByRole('button', { name: 'Disable…' }).waitFor()

    await page.getByRole('button', { name: 'Delete…' }).click()
    await page.locator('dialog[open]').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Delete…' }).click()
    const isOfEndpoint = (request: Request) => new URL(request.url()).pathname.includes(id)
    const askedAfter: string[] = []
    page.on('response', (response) => {
      if (response.request().method() !== 'DELETE') return
      page.on('request', (request) => isOfEndpoint(request) && askedAfter.push(request.url()))
    })
    // Of its own page at the end; also of the read of every ten seconds, if it is sent while the request to delete is.
    expects(/status of 404/)
    await page.getByRole('button', { name: 'Delete the endpoint' }).click()
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    await page.getByText('The endpoint is deleted').waitFor({ state: 'attached' })
    expect(askedAfter).toEqual([])
    await page.goto(`${origin}/console/webhooks/${id}`)
    await page.getByRole('heading', { name: 'No such endpoint' }).waitFor()
  })

  it.each(['read', 'work'] as const)('%s: all of it is seen, and nothing can be changed', async (role) => {
    const to = await receiver()
    const { id } = await webhooks.create(to.url, { description: `Seen by ${role}` })
    const { page } = await open('', role)
    await page.getByRole('link', { name: `Seen by ${role}` }).waitFor()
    expect(await page.getByRole('main').locator('button, a.button').count()).toBe(0)
    await page.getByRole('link', { name: `Seen by ${role}` }).click()
    await page.getByRole('heading', { name: 'Deliveries of the last 30 days' }).waitFor()
    expect(page.url()).toContain(id)
    expect(await page.locator('.acts').count()).toBe(0)
    await page.goto(`${origin}/console/webhooks?new=1`)
    await page.getByText('People whose role is manage can add').waitFor()
  })

  it.each(LOOKS)('%s: axe finds nothing, and nothing scrolls sideways', async (_, options) => {
    const to = await receiver()
    const { id } = await webhooks.create(to.url, { description: 'Order system', signature: 'ed25519' })
    await webhooks.events(2)
    await expect.poll(() => to.captured.length).toBeGreaterThanOrEqual(2)
    const { page } = await open('', 'manage', options)
    await page.locator('.rows li').first().waitFor()
    await checkAccessibility(page, 'webhooks')
    await page.goto(`${origin}/console/webhooks/${id}`)
    await page.locator('tbody tr').first().waitFor()
    await checkAccessibility(page, 'an endpoint')
    for (const button of ['Send events again…', 'Replace the secret…', 'Change…', 'Disable…', 'Delete…']) {
      await page.getByRole('button', { name: button }).click()
      await page.locator('dialog[open]').waitFor()
      await checkAccessibility(page, button)
      await page.keyboard.press('Escape')
    }
    await page.getByRole('button', { name: 'Send events again…' }).click()
    await page.getByRole('button', { name: 'Send again', exact: true }).click()
    await page.getByRole('dialog', { name: /events? (is|are) sent again/ }).waitFor()
    await checkAccessibility(page, 'events that are sent again')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Replace the secret…' }).click()
    await page.getByRole('button', { name: 'Replace the secret', exact: true }).click()
    await page.getByRole('dialog', { name: 'Store this secret now' }).waitFor()
    await checkAccessibility(page, 'a secret')
    await page.goto(`${origin}/console/webhooks?new=1`)
    const checks = page.locator('.group-checks > .check')
    await checks.first().waitFor()
    for (const events of await checks.all()) await events.getByRole('checkbox').uncheck()
    await page.getByRole('button', { name: 'Add the endpoint' }).click()
    await page.getByRole('link', { name: 'Address: Fill in the address.' }).waitFor()
    expect(await descriptionOf(page.getByLabel('Address'))).toContain('Fill in the address.')
    const events = page.getByRole('group', { name: 'Events to send' })
    expect(await descriptionOf(events)).toBe('Choose at least one event.')
    await expect.poll(() => page.evaluate('document.activeElement.className')).toContain('error-summary')
    await checkAccessibility(page, 'form with a problem')
    for (const key of ['Tab', 'Enter']) await page.keyboard.press(key)
    expect(await page.evaluate('document.activeElement.ariaInvalid')).toBe('true')
  })
})
