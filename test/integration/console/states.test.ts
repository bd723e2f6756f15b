import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { installedBrowser } from '../../interface/reference-page.ts'
import { signIn } from './scene.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, screens that load or fail are not tried')

const SCREENS = [
  ['queue', 'Queue'],
  ['overview', 'Overview'],
  ['integrations', 'Integrations'],
  ['webhooks', 'Webhooks'],
  ['rules', 'Rules'],
  ['audit', 'Audit'],
  ['alerts', 'Alerts'],
  ['chargebacks/:case', 'Chargeback'],
  ['integrations/:integration', 'Integration'],
  ['webhooks/:endpoint', 'Webhook endpoint'],
] as const
const READS = /\/console\/v1\//
const MINUTE_MS = 60_000

describe.skipIf(!executable)('screens that load and fail', () => {
  let visits: Visits
  const due = new Date(Date.now() + 2 * 86_400_000)
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
    const { stage, at, add } = visits.shop
    const endpoint = await stage.call('POST', '/v1/webhook-endpoints', {
      body: { url: 'https://receiver.example/hooks', events: ['*'], description: 'Order system' },
    })
    const [id = ''] = await add([{ reason: 'Fraud', due_date: due }])
    expect(endpoint).toMatchObject({ status: 201 })
    Object.assign(ids, { ':case': id, ':integration': at.integrationId, ':endpoint': endpoint.body.id })
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())

  const go = (page: Page, path: string) =>
    page.goto(`${visits.shop.origin}/console/${path.replace(/:\w+$/, (name) => ids[name] ?? name)}`)
  const fail = (page: Page, status: number, code: string, headers: Record<string, string> = {}) =>
    page.route(READS, (route) =>
      route.fulfill({ status, headers, json: { code, message: 'A sentence of the API.', errorId: 'error-4711' } }),
    )
  /** Someone who has signed in, and sees the queue. @param fault that the test provokes */
  async function inside(fault?: RegExp) {
    const { page, expects } = await visits.open('queue')
    await page.locator('table tbody tr').first().waitFor()
    if (fault) expects(fault)
    return page
  }

  it.each(SCREENS)('%s: an error has the API’s sentence, an id for support and another try', async (path, title) => {
    const page = await inside(/status of 500/)
    await fail(page, 500, 'internal_error')
    await go(page, path)
    const forSupport = page.getByLabel('the error id', { exact: true })
    await expect.poll(() => forSupport.first().inputValue()).toBe('error-4711')
    await page.getByRole('button', { name: 'Copy the error id' }).first().waitFor()
    await page.getByText('A sentence of the API.').first().waitFor()
    // The rest of the page stays.
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Integrations' }).first().waitFor()
    await page.unrouteAll()
    // Once each: another try ends the one before.
    await page.getByRole('button', { name: 'Try again' }).evaluateAll((buttons) => {
      for (const button of buttons as unknown as { click(): void }[]) button.click()
    })
    await expect.poll(() => forSupport.count()).toBe(0)
    await expect.poll(() => page.locator('.skeleton-row').count()).toBe(0)
  })

  it.each(SCREENS)('%s: while it loads there are rows of the final height, and no spinner', async (path) => {
    const page = await inside()
    const held: (() => void)[] = []
    let holds = true
    await page.route(READS, async (route) => {
      if (holds) await new Promise<void>((resolve) => held.push(resolve))
      await route.continue()
    })
    await go(page, path)
    await page.locator('.skeleton-row').first().waitFor()
    holds = false
    for (const release of held) release()
    await expect.poll(() => page.locator('.skeleton-row').count()).toBe(0)
  })

  it('while it loads nothing moves for 200 ms, and later only for who does not prefer reduced motion', async () => {
    const page = await inside()
    await page.route(READS, () => {})
    await page.clock.pauseAt(Date.now() + 1_000)
    await go(page, 'overview')
    await page.locator('.skeleton').first().waitFor()
    await page.clock.runFor(190)
    expect(await page.locator('.skeleton-row').count()).toBe(0)
    await page.clock.resume()
    await page.locator('.skeleton-row').first().waitFor()
    const moving = () => page.evaluate('document.getAnimations().length')
    expect(await moving()).toBeGreaterThan(0)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    expect(await moving()).toBe(0)
  })

  it('a rate limit counts down until the next try', async () => {
    const page = await inside(/status of 429/)
    await page.clock.install()
    await fail(page, 429, 'rate_limit_exceeded', { 'retry-after': '20' })
    await go(page, 'audit')
    const button = page.getByRole('button', { name: /^Try again/ }).first()
    await page.getByRole('button', { name: /Try again in (20|19) s/ }).waitFor()
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await page.clock.runFor(21_000)
    await page.getByRole('button', { name: 'Try again', exact: true }).waitFor()
  })

  it('who does nothing is warned before the session ends, and one key prolongs it', async () => {
    const page = await inside()
    await page.clock.install()
    await page.clock.fastForward(28 * MINUTE_MS)
    await page.getByRole('dialog', { name: 'Are you still there?' }).waitFor()
    const prolonged = page.waitForRequest(/\/console\/session/)
    await page.keyboard.press('Enter')
    await prolonged
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('a session that ends soon whatever one does: it is told while what was typed can be saved, and when it is gone', async () => {
    const page = await inside(/status of 401/)
    const sessions = visits.shop.stage.db.updateTable('console_session')
    const endsIn = (ms: number) => sessions.set({ ends_at: new Date(Date.now() + ms) }).execute()
    await page.getByText('You will be signed out at').waitFor({ state: 'detached' })
    await endsIn(8 * MINUTE_MS)
    await page.reload()
    await page.getByText(/You will be signed out at \d\d:\d\d:\d\d, and nothing prolongs it. Save/).waitFor()
    // As if the person had signed in again in another tab.
    await endsIn(60 * MINUTE_MS)
    await page.getByText('You will be signed out at').waitFor({ state: 'detached' })
    await endsIn(0)
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByRole('dialog', { name: 'Your session has ended' }).getByText('typed and not saved').waitFor()
  })

  it('a hidden tab does not ask when its session ends, and asks at once when it is seen again', async () => {
    const page = await inside()
    await visits.shop.stage.db
      .updateTable('console_session')
      .set({ ends_at: new Date(Date.now() + 8 * MINUTE_MS) })
      .execute()
    await page.clock.install()
    // A browser without a window has no hidden tabs.
    await page.addInitScript(`
      Object.defineProperty(document, 'visibilityState', { get: () => (window.isHidden ? 'hidden' : 'visible') })
    `)
    await page.reload()
    await page.getByText('You will be signed out at').waitFor()
    const turn = (isHidden: boolean) =>
      page.evaluate(`window.isHidden = ${isHidden}; document.dispatchEvent(new Event('visibilitychange'))`)
    await turn(true)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.clock.runFor(MINUTE_MS)
    expect(asked).not.toContain('/console/session')
    await turn(false)
    await expect.poll(() => asked).toContain('/console/session')
  })

  it('a page that is not Recoup’s in its place, as the sign-in of a network: no answer, and no data', async () => {
    const page = await inside()
    await page.route(READS, (route) =>
      route.fulfill({ status: 200, contentType: 'text/html; charset=utf-8', body: '<h1>Welcome to the hotel</h1>' }),
    )
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('What you see may be old').waitFor()
    await page.getByText('The service did not answer. Check your connection.').first().waitFor()
  })

  it('what failed while the service was unavailable is read again once it is back, without a click', async () => {
    const page = await inside(/ERR_FAILED/)
    await page.route(READS, (route) => route.abort())
    // Nothing repeats what this tab reads.
    await page.getByRole('link', { name: 'Rules' }).click()
    await page.getByRole('link', { name: 'Playbooks' }).click()
    await page.getByText('The service did not answer. Check your connection.').waitFor()
    await page.getByText('What you see may be old').waitFor()
    await page.unrouteAll()
    await page.getByText('What you see may be old').waitFor({ state: 'detached', timeout: 90_000 })
    await page.getByText('Not received').first().waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })

  it('menus and forms say when what they offer can’t be read', async () => {
    const { page, expects } = await visits.open('queue', {}, 'manage')
    expects(/status of 500/)
    await page.locator('table tbody tr').first().waitFor()
    await fail(page, 500, 'internal_error')
    for (const menu of ['PSP', 'Amount']) {
      await page.locator('summary').filter({ hasText: menu }).first().click()
      await page.locator('.menu-form').getByLabel('the error id', { exact: true }).waitFor()
      await page.keyboard.press('Escape')
    }
    await page.unrouteAll()
    await page.route(/\/console\/v1\/playbooks/, (route) =>
      route.fulfill({ status: 500, json: { code: 'internal_error', message: 'No playbooks.', errorId: 'error-4712' } }),
    )
    await go(page, 'rules?tab=automatic')
    await page.getByLabel('Only some').check()
    await expect.poll(() => page.getByLabel('the error id', { exact: true }).inputValue()).toBe('error-4712')
    expect(await page.getByText('Choose at least one').count()).toBe(0)
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Choose at least one').waitFor()
    const about = await page.getByRole('group', { name: 'Kinds of claims' }).getAttribute('aria-describedby')
    expect(await page.getByText('Choose at least one').getAttribute('id')).toBe(about ?? 'none')
    await page.getByLabel('Not received').waitFor()
  })

  it.each([
    ['manage', 'Connect a PSP'],
    ['work', 'Somebody with the role manage connects one.'],
  ] as const)('a merchant without an integration, for %s: the way to connect one', async (role, words) => {
    const { stage } = visits.shop
    const { merchantUuid } = await stage.newMerchant(stage.accountId, `new-shop-${role}`)
    const { token } = await stage.issue({
      ...{ accountId: stage.accountId, scope: 'merchant', merchantUuid, role, name: 'Jana' },
    })
    const { page } = await visits.open('queue')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, token)
    await page.getByText('No PSP is connected yet').waitFor()
    await page.getByText(words).waitFor()
    if (role !== 'manage') return
    await page.getByRole('link', { name: words }).click()
    await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor()
  })

  it('when nothing is due in a view: the day on which the next one is', async () => {
    const { page } = await visits.open('queue?due=1', { timezoneId: 'UTC' })
    await page.getByText(/^Nothing is due within/).waitFor()
    const next = page.locator('.empty p', { hasText: 'The next one is due' })
    const day = due.toLocaleDateString('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })
    await expect
      .poll(() => next.textContent())
      .toContain(`The next one is due ${day}, ${due.toISOString().slice(11, 16)}`)
    await next.getByRole('link', { name: 'Show all open ones' }).click()
    await page.locator('table a.open').first().waitFor()
  })
})
