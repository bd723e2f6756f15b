import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { issueCredential, revokeCredential } from '../../../db/merchants/credentials.ts'
import { openProxy, type TcpProxy } from '../../faults/net/proxy.ts'
import { createDatabase } from '../../harness/database.ts'
import { takeNamespace } from '../../harness/namespace.ts'
import { chargebackOf, createDispute, pollNow } from '../../harness/rows.ts'
import { testServers } from '../../harness/servers.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { installedBrowser, startBrowser } from '../../interface/reference-page.ts'
import { openScene, type Scene, signIn } from './scene.ts'

const executable = installedBrowser()
if (!executable)
  console.warn('SKIPPED: no Chromium or Chrome is installed, no case is open while a server is unavailable')

const PATIENT = { timeout: 90_000 }

describe.skipIf(!executable)('trouble while a case is open', () => {
  let database: Awaited<ReturnType<typeof createDatabase>>
  let stack: Stack
  let browser: Browser
  let origin: string
  let integrationId: string
  /** In front of Postgres, Temporal and the API. */
  let postgres: TcpProxy
  let temporal: TcpProxy
  let api: TcpProxy
  const scenes: Scene[] = []
  beforeAll(async () => {
    database = await createDatabase()
    const direct = new URL(database.url)
    postgres = await openProxy({ host: direct.hostname, port: Number(direct.port) })
    const { temporalAddress } = testServers()
    const [host = '', port = ''] = temporalAddress.split(':')
    temporal = await openProxy({ host, port: Number(port) })
    const through = new URL(database.url)
    through.hostname = '127.0.0.1'
    through.port = String(postgres.port)
    stack = await startStack({
      databaseUrl: database.url,
      temporal: { address: temporalAddress, namespace: await takeNamespace() },
      env: { DATABASE_URL: through.href, TEMPORAL_ADDRESS: `127.0.0.1:${temporal.port}` },
    })
    integrationId = await stack.connectStripe()
    api = await openProxy({ host: '127.0.0.1', port: Number(new URL(stack.apis[0]?.url ?? '').port) })
    origin = `http://127.0.0.1:${api.port}`
    browser = await startBrowser(executable ?? '')
  })
  afterEach(async () => {
    for (const proxy of [postgres, temporal, api]) await proxy?.set({ kind: 'none' })
    for (const { context } of scenes.splice(0)) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
    await stack?.[Symbol.asyncDispose]()
    for (const proxy of [postgres, temporal, api]) await proxy?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  /** Opens a new case. @param fault that the test provokes */
  async function open(fault?: RegExp) {
    const ref = await createDispute(stack, { stage: 'chargeback' })
    await pollNow(stack, integrationId)
    const { id = '' } = await chargebackOf(stack, ref)
    const scene = await openScene(browser, origin)
    if (fault) scene.expects(fault)
    scenes.push(scene)
    const { accountId, merchantUuid } = stack
    const { token, credentialId } = await issueCredential(stack.db, stack.ring, {
      ...{ accountId, merchantUuid, scope: 'merchant', environment: 'sandbox', role: 'work', name: 'Jana' },
    })
    await scene.page.goto(`${origin}/console/chargebacks/${id}`)
    await signIn(scene.page, token)
    await scene.page.getByRole('heading', { name: 'Timeline' }).waitFor()
    const accept = scene.page.getByRole('button', { name: 'Accept…' })
    const enabled = accept.and(scene.page.locator('[aria-disabled="false"]'))
    return { ...scene, ref, id, credentialId, accept, enabled }
  }
  const effects = async (ref: string) =>
    (await stack.control('GET', `/effects?ref=${ref}&kind=acceptance`)).body.effects
  const commands = (id: string) => stack.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).execute()

  it('a proxy that answers for a dead API: the page says so, and a sign-out that it was none', async () => {
    const { page, accept } = await open(/status of 502/)
    await page.route(/\/console\/(v1|session)/, (route) => route.fulfill({ status: 502, body: '<h1>Bad Gateway</h1>' }))
    await page.getByText('The service does not answer. What you see may be old').waitFor(PATIENT)
    await accept.and(page.locator('[aria-disabled="true"]')).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('you are still signed in').waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByLabel('Token').waitFor()
  })

  it('an update of Recoup while the page is open: a screen whose code is gone says so', async () => {
    const { page } = await open(/status of 404|dynamically imported module/)
    await page.route(/\/console\/assets\//, (route) => route.fulfill({ status: 404, body: '' }))
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('There is a new version of this page').waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Load it again' }).click()
    await page.getByRole('heading', { name: 'Audit', exact: true }).first().waitFor()
  })

  it.each([
    ['the API', () => api],
    ['Postgres', () => postgres],
  ])('%s away: what was read stays, nothing can be done, and it is back by itself', async (_, proxy) => {
    const { page, id, accept, enabled } = await open(/ERR_|status of 50/)
    await enabled.waitFor()
    await proxy().set({ kind: 'down' })
    await page.getByText('The service does not answer. What you see may be old').waitFor(PATIENT)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await accept.and(page.locator('[aria-disabled="true"]')).waitFor()
    await accept.click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
    await proxy().set({ kind: 'none' })
    await page.getByText('What you see may be old').waitFor({ state: 'detached', ...PATIENT })
    await enabled.waitFor(PATIENT)
    expect(await commands(id)).toEqual([])
  })

  it('the API dies while an acceptance is confirmed: it says that nobody knows, and the next try accepts once', async () => {
    const { page, ref, enabled } = await open(/ERR_/)
    await enabled.click()
    const dialog = page.getByRole('dialog')
    const known = dialog.getByRole('checkbox')
    await dialog.getByRole('button', { name: /^Accept and lose/ }).waitFor()
    if ((await known.count()) > 0) await known.check()
    let sent = 0
    await page.route('**/accept', async (route) => {
      if (route.request().method() !== 'POST' || ++sent > 1) return route.continue()
      await route.fetch()
      await api.set({ kind: 'down' })
      await route.abort()
    })
    const act = dialog.getByRole('button', { name: /^Accept and lose/ })
    await act.click()
    await dialog.getByText(/did not answer, so this may have been done/).waitFor()
    await api.set({ kind: 'none' })
    // The page may read the outcome first; it then takes the button away.
    await act.click({ timeout: 10_000 }).catch(() => undefined)
    await page.getByText(/Accepted, confirmed by Stripe/).waitFor(PATIENT)
    await page.getByText('Requested by Jana').waitFor()
    expect(await effects(ref)).toHaveLength(1)
  })

  it('Temporal away: the acceptance is recorded and shown as requested, never as done, and is done later', async () => {
    const { page, ref, enabled } = await open()
    await temporal.set({ kind: 'down' })
    await enabled.click()
    const known = page.getByRole('dialog').getByRole('checkbox')
    await page.getByRole('button', { name: /^Accept and lose/ }).waitFor()
    if ((await known.count()) > 0) await known.check()
    await page.getByRole('button', { name: /^Accept and lose/ }).click()
    await page.getByText('Requested by Jana').waitFor(PATIENT)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.getByText(/Accepted, confirmed/).count()).toBe(0)
    expect(await effects(ref)).toEqual([])
    await temporal.set({ kind: 'none' })
    await page.getByText(/Accepted, confirmed by Stripe/).waitFor({ timeout: 150_000 })
    expect(await effects(ref)).toHaveLength(1)
  })

  it.each([
    ['revoked', (id: string) => revokeCredential(stack.db, id)],
    [
      'expired',
      (id: string) =>
        stack.db
          .updateTable('credential')
          .set({ expires_at: new Date(Date.now() - 1_000) })
          .where('credential_id', '=', id)
          .execute(),
    ],
  ])(
    'the credential is %s while a confirmation is open: the act is not done, and nothing stays on the screen',
    async (_, end) => {
      const { page, id, credentialId, enabled } = await open(/status of 401/)
      await enabled.click()
      const known = page.getByRole('dialog').getByRole('checkbox')
      if ((await known.count()) > 0) await known.check()
      await end(credentialId)
      await page
        .getByRole('button', { name: /^Accept and lose/ })
        .click({ timeout: 5_000 })
        // A poll may have noticed first.
        .catch(() => {})
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
      expect(await page.locator('body').textContent()).not.toMatch(/Timeline|Accept and lose/)
      expect(await commands(id)).toEqual([])
    },
  )
})
