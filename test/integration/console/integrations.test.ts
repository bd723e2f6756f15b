import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { setPaused } from '../../../db/integrations/integration-operations.ts'
import { issueCredential } from '../../../db/merchants/credentials.ts'
import { quarantine } from '../../../db/polling/quarantine.ts'
import { adyenSimulator } from '../../../simulators/adyen/index.ts'
import { braintreeSimulator } from '../../../simulators/braintree/index.ts'
import { paypalSimulator } from '../../../simulators/paypal/index.ts'
import { sandboxSimulator } from '../../../simulators/sandbox/index.ts'
import { stripeSimulator } from '../../../simulators/stripe/index.ts'
import { NEXT_KEY } from '../../../simulators/stripe/keys.ts'
import { createDispute } from '../../harness/rows.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { installedBrowser, startBrowser } from '../../interface/reference-page.ts'
import { checkAccessibility, descriptionOf, LOOKS, openScene, pasted, type Scene, signIn } from './scene.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, integrations are not tried in a browser')

const PSPS = {
  PAYPAL_API_URL: paypalSimulator,
  BRAINTREE_API_URL: braintreeSimulator,
  ADYEN_API_URL: adyenSimulator,
  SANDBOX_API_URL: sandboxSimulator,
}
const ALL = [stripeSimulator, ...Object.values(PSPS)]
describe.skipIf(!executable)('integrations in a real browser', () => {
  let stack: Stack
  let browser: Browser
  let origin: string
  const scenes: Scene[] = []
  beforeAll(async () => {
    stack = await startStack({ psps: PSPS })
    origin = new URL(stack.apis[0]?.url ?? '').origin
    browser = await startBrowser(executable ?? '')
  })
  afterEach(async () => {
    for (const { context } of scenes.splice(0)) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
    await stack?.[Symbol.asyncDispose]()
  })

  async function open(path = '', options: BrowserContextOptions = {}) {
    const { token } = await issueCredential(stack.db, stack.ring, {
      ...{ accountId: stack.accountId, scope: 'merchant', merchantUuid: stack.merchantUuid, environment: 'sandbox' },
      ...{ role: 'manage', name: 'Jana' },
    })
    const scene = await openScene(browser, origin, options)
    scenes.push(scene)
    await scene.page.goto(`${origin}/console/integrations${path}`)
    await signIn(scene.page, token)
    return scene
  }
  const fill = async (page: Page, source: string, payload: Record<string, string>) => {
    const { data } = (await stack.call('GET', '/integrations/options')).body
    const option = data.find((one: { source: string }) => one.source === source)
    for (const [name, value] of Object.entries(payload)) {
      const type = option.secretTypes.find((one: { schema: { properties: object } }) => name in one.schema.properties)
      const { title } = type.schema.properties[name]
      await page.getByLabel(new RegExp(`^${title}( \\(optional\\))?$`)).fill(value)
    }
  }
  const row = (id: string) =>
    stack.db.selectFrom('integration').selectAll().where('integration_id', '=', id).executeTakeFirstOrThrow()
  const idOf = (page: Page) => new URL(page.url()).pathname.split('/').at(-1) as string

  it.each(ALL.map((simulator) => [simulator.source, simulator] as const))(
    '%s is connected by its form: nothing missing is sent, and the page shows the PSP’s answer by itself',
    async (source, simulator) => {
      const { page } = await open()
      await page.getByRole('link', { name: 'Connect a PSP account' }).first().click()
      await page.locator(`.choices a[href*="connect=${source}"]`).click()
      await page.getByRole('heading', { name: /^Connect (?!a PSP)/ }).waitFor()
      await page.getByRole('button', { name: /^Connect / }).click()
      expect(await page.getByText('Fill in this field.').count()).toBeGreaterThan(1)
      await expect.poll(() => page.evaluate('document.activeElement.className')).toContain('error-summary')
      const links = page.getByRole('region', { name: /^Correct these \d fields/ }).getByRole('link')
      expect(await links.count()).toBe(await page.locator('[aria-invalid="true"]').count())
      for (const key of ['Tab', 'Enter']) await page.keyboard.press(key)
      expect(await page.evaluate('document.activeElement.ariaInvalid')).toBe('true')
      expect(await page.evaluate('document.activeElement.value')).toBe('')

      if (source === 'recoup_sandbox')
        await page.getByLabel('Kind of the credential').selectOption(simulator.secretType)
      await page.getByLabel('Name', { exact: true }).fill(`My ${source}`)
      const account = page.getByLabel(/^(Account|Account ID|Merchant ID|Merchant account)$/)
      await account.fill(simulator.profile.homeAccount)
      await fill(page, source, simulator.homeSecretPayload ?? simulator.secretPayload)
      for (const secret of await page.locator('input[type="password"]').all())
        expect(await secret.getAttribute('autocomplete')).toBe('off')
      await page.getByRole('button', { name: /^Connect / }).click()
      await page.locator('.status', { hasText: 'SUCCESSFUL' }).waitFor()
      await page.getByRole('heading', { name: `My ${source}` }).waitFor()
      expect(await row(idOf(page))).toMatchObject({ source, status: 'SUCCESSFUL' })
      const secrets = Object.values(simulator.homeSecretPayload ?? simulator.secretPayload)
      for (const secret of secrets.filter((one) => one.length > 12)) expect(await page.content()).not.toContain(secret)
    },
  )

  it('a wrong key: the PSP’s sentence, then the key is replaced; a refused one changes nothing', async () => {
    await stack.control('POST', '/accounts', { account: 'acct_wrongkey' })
    const { page, expects } = await open('?connect=stripe')
    expects(/status of 400/)
    await page.getByLabel('Name', { exact: true }).fill('Wrong key')
    await page.getByLabel('Account ID').fill('acct_wrongkey')
    await page.getByLabel('Restricted key').fill('not a key')
    await page.getByRole('button', { name: 'Connect Stripe' }).click()
    await page.locator('main').getByText('This is no Stripe API key').waitFor()
    // What was refused is given up, the rest stays.
    expect(await page.getByLabel('Restricted key').inputValue()).toBe('')
    expect(await page.getByLabel('Account ID').inputValue()).toBe('acct_wrongkey')
    await page.getByLabel('Restricted key').fill('rk_test_refused4711')
    await page.getByRole('button', { name: 'Connect Stripe' }).click()
    await page.locator('.status', { hasText: 'FAILED' }).waitFor()
    expect((await page.locator('.notice.bad').textContent())?.length).toBeGreaterThan(30)
    const id = idOf(page)
    const before = (await row(id)).secret_sealed
    const list = await open()
    await list.page.getByText(/^Since \d+ \w+ \d{4}, \d\d:\d\d: ./).waitFor()

    await page.getByRole('button', { name: 'Replace the key…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replace the key' })
    await dialog.getByRole('button', { name: 'Replace the key' }).click()
    await dialog.getByRole('link', { name: 'Restricted key: Fill in this field.' }).waitFor()
    await dialog.getByLabel('Restricted key').fill('rk_test_alsorefused4711')
    await dialog.getByRole('button', { name: 'Replace the key' }).click()
    await dialog.locator('.bad').waitFor()
    expect((await row(id)).secret_sealed).toBe(before)
    expect(await dialog.getByLabel('Restricted key').inputValue()).toBe('')
    await dialog.getByLabel('Restricted key').fill(NEXT_KEY)
    await dialog.getByRole('button', { name: 'Replace the key' }).click()
    await page.locator('.status', { hasText: 'SUCCESSFUL' }).waitFor()
    await dialog.waitFor({ state: 'detached' })
    expect((await row(id)).secret_sealed).not.toBe(before)
  })

  it('poll now, pause and resume, and what the operator paused; a first delivery is seen', async () => {
    const id = await stack.connectStripe({ externalIdentifier: 'acct_polled', integrationName: 'Polled' })
    const { page } = await open(`/${id}`)
    await page.getByText('Waiting for the first delivery').waitFor()
    await page.getByRole('button', { name: /^Copy/ }).click()
    await page.getByRole('button', { name: /^Copied/ }).waitFor()
    expect(await pasted(page)).toMatch(new RegExp(`/v1/notifications/${id}$`))

    const polled = (await row(id)).polled_at
    await page.getByRole('button', { name: /^Poll now/ }).click()
    await page.getByText('Polling…').waitFor()
    await page
      .getByRole('button', { name: /^Poll now/ })
      .getByText('Poll now')
      .waitFor()
    expect((await row(id)).polled_at).not.toEqual(polled)

    await page.getByRole('button', { name: 'Pause polls…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Pause the polls?' })
    await dialog.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Keep polling')
    await dialog.getByRole('button', { name: 'Pause polls' }).click()
    await page.getByText('Its polls are paused since').waitFor()
    expect(await row(id)).toMatchObject({ paused: true })
    await page.getByRole('button', { name: 'Resume polls' }).click()
    await page.getByRole('button', { name: 'Pause polls…' }).waitFor()
    expect(await row(id)).toMatchObject({ paused: false })

    await setPaused(stack.db, id, { paused: true, by: 'olga', reason: 'The PSP has an incident' })
    await page.reload()
    await page.getByText('by the operator: The PSP has an incident').waitFor()
    const resume = page.getByRole('button', { name: 'Resume polls' })
    expect(await resume.getAttribute('aria-disabled')).toBe('true')
    await setPaused(stack.db, id, { paused: false, by: 'olga', reason: null })

    const ref = await createDispute(stack, { stage: 'chargeback', account: 'acct_polled' })
    const url = `${origin}/v1/notifications/${id}`
    await stack.control('POST', '/notifications', { url, ref, count: 1, account: 'acct_polled' })
    await page.reload()
    await page.getByText('The last genuine one came').waitFor()
  })

  it('quarantine, renaming, and an end that can be moved', async () => {
    const id = await stack.connectStripe({ externalIdentifier: 'acct_ends', integrationName: 'Ends' })
    const objects = Array.from({ length: 12 }, (_, n) => ({
      ...{ reference: `du_unread_${n}`, reason: 'The amount is missing.', text: '{"name":"Kim Canary"}' },
      hash: Buffer.alloc(32, n + 1),
    }))
    await quarantine(stack.db, stack.ring, id, objects, [], 1)
    const { page } = await open(`/${id}`)
    await page.getByRole('heading', { name: 'Quarantine (12)' }).waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await expect.poll(() => page.locator('tbody tr').count()).toBe(2)
    expect(await page.content()).not.toContain('Canary')

    await page.getByRole('button', { name: 'Rename…' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('<b>Ends</b> \u202esoon')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('heading', { name: '<b>Ends</b> ⟨U+202E⟩soon' }).waitFor()

    await page.getByRole('button', { name: 'Deactivate…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Deactivate this integration?' })
    const act = dialog.getByRole('button', { name: /^Deactivate/ })
    expect(await act.getAttribute('aria-disabled')).toBe('true')
    await dialog.getByLabel('Date').fill('2020-01-01')
    await dialog.getByText('the integration becomes INACTIVE at once').waitFor()
    await dialog.getByLabel('Date').fill('2099-01-01')
    await act.click()
    await page.getByRole('button', { name: 'Move the end…' }).waitFor()
    expect(await row(id)).toMatchObject({ status: 'SUCCESSFUL', deactivation_date: new Date('2099-01-01T00:00:00Z') })
  })

  it.each(LOOKS)('%s: axe finds nothing, and nothing scrolls sideways', async (_, options) => {
    const { page } = await open('', options)
    await page.locator('.rows li').first().waitFor()
    await checkAccessibility(page, 'integrations')
    await page.locator('.rows h2 a').last().click()
    await page.getByRole('heading', { name: 'What it must send' }).waitFor()
    await checkAccessibility(page, 'an integration')
    for (const button of ['Pause polls…', 'Rename…', 'Replace the key…', 'Deactivate…']) {
      await page.getByRole('button', { name: button }).click()
      await page.locator('dialog[open]').waitFor()
      await checkAccessibility(page, button)
      await page.keyboard.press('Escape')
    }
    await page.goto(`${origin}/console/integrations?connect=choose`)
    await page.locator('.choices li').first().waitFor()
    await checkAccessibility(page, 'choice of a PSP')
    await page.goto(`${origin}/console/integrations?connect=adyen`)
    await page.getByRole('button', { name: 'Connect Adyen' }).click()
    await page.getByText('Fill in this field.').first().waitFor()
    for (const field of await page.locator('[aria-invalid="true"]').all())
      expect(await descriptionOf(field)).toContain('Fill in this field.')
    await checkAccessibility(page, 'form with problems')
  })
})
