import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { changeSettings } from '../../../db/merchants/account-settings.ts'
import { issueCredential } from '../../../db/merchants/credentials.ts'
import { currencyExponent } from '../../../domain/money.ts'
import { stripeSimulator } from '../../../simulators/stripe/index.ts'
import { chargebackOf, createDispute } from '../../harness/rows.ts'
import { samplePdf } from '../../harness/sample-files.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import { installedBrowser, startBrowser } from '../../interface/reference-page.ts'
import { DELIVERED } from '../workflows/evidence/package-fixture.ts'
import { openScene, type Scene, signIn, textOf } from './scene.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no evidence is submitted in a browser')

const PATIENT = { timeout: 120_000 }
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

describe.skipIf(!executable)('evidence in the console, with the whole service', () => {
  let stack: Stack
  let browser: Browser
  let origin: string
  const scenes: Scene[] = []
  let unused: { ref: string; id: string }[]
  /** Within the hours of the longest policy that its account permits, and of no other one. */
  let soon: { ref: string; id: string }
  beforeAll(async () => {
    stack = await startStack({ env: { RECOUP_POLL_INTERVAL_SECONDS: '2' } })
    await stack.connectStripe({ externalIdentifier: stripeSimulator.profile.homeAccount })
    origin = new URL(stack.apis[0]?.url ?? '').origin
    browser = await startBrowser(executable ?? '')
    // Evidence waits for half a minute without changes: for all of them at once.
    ;[soon, ...unused] = await Promise.all([disputed(64), ...Array.from({ length: 4 }, () => disputed())])
  }, 180_000)
  afterEach(async () => {
    for (const { context } of scenes.splice(0)) await context.close()
  })
  afterAll(async () => {
    await browser?.close()
    await stack?.[Symbol.asyncDispose]()
  })

  /** A dispute with data, so that the worker builds evidence for it. */
  async function disputed(dueInHours = 200): Promise<{ ref: string; id: string }> {
    const ref = await createDispute(stack, { stage: 'chargeback', reason: '13.1', dueInHours })
    const { id = '' } = await chargebackOf(stack, ref)
    await stack.call('PATCH', `/chargebacks/${id}/should-fight`, { shouldFight: true })
    const agreeing = { ...DELIVERED, transactionOrderEmail: '', transactionShippingToZipCode: 'LS1 4DY' }
    const points = { ...agreeing, shippingDate: daysAgo(60), deliveryDate: daysAgo(57) }
    expect((await stack.call('PATCH', `/chargebacks/${id}`, points)).status).toBe(201)
    await until(
      'the package is built',
      async () => (await stack.call('GET', `/chargebacks/${id}/evidence/draft`)).status === 200,
      { timeoutMs: 120_000 },
    )
    return { ref, id }
  }
  function takeCase() {
    const one = unused.pop()
    if (!one) throw new Error('every case is used')
    return one
  }
  async function open(id: string, name = 'Jana', role: 'read' | 'work' | 'manage' = 'work') {
    const scene = await openScene(browser, origin)
    scenes.push(scene)
    const { accountId, merchantUuid } = stack
    const { token } = await issueCredential(stack.db, stack.ring, {
      ...{ accountId, merchantUuid, scope: 'merchant', environment: 'sandbox', role, name },
    })
    await scene.page.goto(`${origin}/console/chargebacks/${id}?tab=evidence`)
    await signIn(scene.page, token)
    await scene.page.getByRole('heading', { name: /^Evidence v/ }).waitFor()
    return scene
  }
  const effects = async (ref: string) =>
    (await stack.control('GET', `/effects?ref=${ref}&kind=submission`)).body.effects
  async function confirmSubmission(page: Page) {
    const dialog = page.getByRole('dialog', { name: /^Submit evidence v/ })
    await dialog.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Not yet')
    await dialog.getByText('Dry run: it can be submitted').waitFor()
    const known = dialog.getByRole('checkbox')
    if ((await known.count()) > 0) await known.check()
    return dialog
  }

  it('an analyst reads it, adds a file, tries it out, submits it, and sees the PSP confirm', async () => {
    const { ref, id } = takeCase()
    const { page } = await open(id)
    const before = await textOf(page.getByRole('heading', { name: /^Evidence v/ }))
    await page.getByText('tracking number 00340434161094042557').first().waitFor()
    const frame = page.locator('.pdf iframe')
    await frame.waitFor()
    expect(await frame.getAttribute('src')).toMatch(/^blob:/)

    await page.getByLabel(/^File/).setInputFiles({
      ...{ name: 'signed.pdf', mimeType: 'application/pdf' },
      buffer: samplePdf({ content: 'BT 20 100 Td (Signed for) Tj ET' }),
    })
    await page.getByLabel('It shows').selectOption('signature')
    await page.getByLabel(/^Caption/).fill('Signed at the door')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByText('signed.pdf is stored').waitFor()
    await page.getByText('Show this file').click()
    await page.locator('iframe[title="The file signed.pdf"][src^="blob:"]').waitFor()
    // The next version has it, without a reload.
    await page.getByText('Signed at the door').waitFor(PATIENT)
    expect(await textOf(page.getByRole('heading', { name: /^Evidence v/ }))).not.toBe(before)

    await page.getByRole('button', { name: 'Dry run', exact: true }).click()
    await page.getByText('Dry run: it can be submitted').waitFor()
    await page.getByText(/At most \d+ files of up to \d+ pages, each up to [\d.]+ MB\./).waitFor()
    expect(await effects(ref)).toEqual([])

    await page.getByRole('button', { name: 'Submit…', exact: true }).click()
    const dialog = await confirmSubmission(page)
    const { currency = '', amount } = await chargebackOf(stack, ref)
    const shown = Number(amount).toLocaleString('en', { minimumFractionDigits: currencyExponent(currency) ?? 2 })
    expect(await textOf(dialog)).toContain(`about ${currency} ${shown}`)
    await dialog.getByText(/can't be taken back/).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await effects(ref)).toEqual([])
    await page.keyboard.press('Enter')
    await confirmSubmission(page)
    await dialog.getByRole('button', { name: 'Submit to Stripe' }).dblclick()
    await page.getByText(/Submitted, confirmed by Stripe/).waitFor(PATIENT)
    await page.getByText('Requested by Jana').waitFor()
    await page.getByText('This is what was submitted').waitFor()
    expect(await effects(ref)).toHaveLength(1)
  })

  it('a lost answer: the second try submits once, and two people who submit at once are told who did', async () => {
    const [lost, raced] = [takeCase(), takeCase()]
    const { page, expects } = await open(lost.id)
    expects(/ERR_FAILED/)
    let sent = 0
    await page.route('**/evidence/submit', async (route) => {
      if (route.request().method() !== 'POST' || ++sent > 1) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await page.getByRole('button', { name: 'Submit…', exact: true }).click()
    const dialog = await confirmSubmission(page)
    const act = dialog.getByRole('button', { name: 'Submit to Stripe' })
    await act.click()
    await dialog.getByText(/did not answer, so this may have been done/).waitFor()
    await act.and(page.locator('[aria-disabled="false"]')).waitFor()
    // The PSP may have confirmed meanwhile: then the page says what changed, and sends nothing.
    await act.click()
    await page.getByText(/Submitted, confirmed by Stripe/).waitFor(PATIENT)
    expect(await effects(lost.ref)).toHaveLength(1)

    const people = await Promise.all(['Jana', 'Omar'].map((name) => open(raced.id, name)))
    for (const { page: own } of people) {
      await own.getByRole('button', { name: 'Submit…', exact: true }).click()
      await confirmSubmission(own)
    }
    await Promise.all(people.map(({ page: own }) => own.getByRole('button', { name: 'Submit to Stripe' }).click()))
    for (const { page: own } of people) await own.getByText(/Submitted, confirmed by Stripe/).waitFor(PATIENT)
    const told = await Promise.all(people.map(({ page: own }) => textOf(own.locator('.steps li').first())))
    expect(new Set(told).size).toBe(1)
    const first = /by (Jana|Omar)/.exec(told[0] ?? '')?.[1]
    const late = people[first === 'Jana' ? 1 : 0]?.page
    expect(await textOf(late?.locator('main') as never)).toMatch(new RegExp(`already, by ${first}|It changed`))
    expect(await effects(raced.ref)).toHaveLength(1)
  })

  it('automatic submission is held and released; who may only read sees no act and no PDF', async () => {
    const { id } = takeCase()
    await changeSettings(stack.db, stack.accountId, { automaticSubmission: { mode: 'auto' } })
    const { page } = await open(id)
    await page.getByText(/Submitted automatically on .* unless held/).waitFor()
    await page.getByRole('button', { name: 'Hold…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Hold it' }).click()
    await page.getByText('Not submitted automatically: it is held').waitFor()
    const held = async () => (await stack.call('GET', `/chargebacks/${id}/evidence/draft`)).body.automatic.blockedBy
    expect(await held()).toEqual(['held'])
    await page.getByRole('button', { name: 'Release…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Release it' }).click()
    await page.getByText(/Submitted automatically on/).waitFor()
    expect(await held()).toEqual([])

    const reader = await open(id, 'Auditor', 'read')
    await reader.page.getByRole('heading', { name: 'What it says' }).waitFor()
    expect(await reader.page.getByRole('button', { name: /Submit|Dry run|Hold|Upload|Accept/ }).count()).toBe(0)
    expect(await reader.page.locator('iframe').count()).toBe(0)
    await changeSettings(stack.db, stack.accountId, { automaticSubmission: { mode: 'manual' } })
  })

  it('what a policy submits: a person sets it, and reads on the case who requested it and that the PSP confirmed', async () => {
    const { ref, id } = soon
    const { page } = await open(id, 'Jana', 'manage')
    await page.getByText('A person submits it: automatic submission is off.').waitFor()
    await page.getByRole('link', { name: 'Rules' }).click()
    await page.getByRole('link', { name: 'Automatic submission' }).click()
    await page.getByLabel('Who submits').selectOption('auto')
    await page.getByLabel('Hours before the due date').fill('66')
    await page.getByRole('button', { name: 'Show what would be submitted' }).click()
    await page.getByRole('button', { name: 'Save this policy…' }).and(page.locator('[aria-disabled="false"]')).click()
    expect(await effects(ref)).toEqual([])
    await page.getByRole('button', { name: 'Save, and let Recoup submit' }).click()
    await page.getByRole('heading', { name: 'Valid now: automatic' }).waitFor()

    await page.goto(`${origin}/console/chargebacks/${id}`)
    await page.getByText(/Submitted, confirmed by Stripe/).waitFor(PATIENT)
    await page.getByText('Requested by the policy').waitFor()
    const requested = page.locator('.timeline > li', { hasText: 'evidence submission requested' })
    expect(await requested.locator('.muted').first().textContent()).toBe('automation')
    await page.keyboard.press('e')
    await page.getByText('This is what was submitted').waitFor()
    expect(await page.getByRole('button', { name: /^(Submit|Hold)…/ }).count()).toBe(0)
    expect(await effects(ref)).toHaveLength(1)
  })
})
