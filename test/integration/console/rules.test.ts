import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { storeAlert } from '../../../db/alerts/alerts.ts'
import { installedBrowser } from '../../interface/reference-page.ts'
import { buildDraft } from '../../interface/resources.ts'
import { checkAccessibility, checkInBoth, LOOKS } from './scene.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, rules and audit are not tried in a browser')

const DAY = 86_400_000
const due = () => new Date(Date.now() + 7 * DAY)

describe.skipIf(!executable)('rules, audit and alerts in a real browser', () => {
  let visits: Visits
  let cases: string[]
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
    cases = await visits.shop.add([
      { amount_minor: 19_120n, card_scheme: 'amex', due_date: due() },
      { amount_minor: 1_000n, card_scheme: 'visa', due_date: due() },
      { amount_minor: 2_000n, card_scheme: 'visa', due_date: due() },
    ])
    await buildDraft(visits.shop.stage.db, visits.shop.stage.ring, cases[1] ?? '')
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())

  const open = (path: string, role: 'read' | 'work' | 'manage' = 'manage', options: BrowserContextOptions = {}) =>
    visits.open(path, options, role)
  const settings = async () => (await visits.shop.stage.call('GET', '/v1/settings')).body.data
  const savedRules = async () =>
    (await visits.shop.stage.call('GET', `/v1/integrations/${visits.shop.at.integrationId}/scope-settings`)).body.data
  const stopped = async (page: Page, name: string) => page.getByRole('button', { name }).getAttribute('aria-disabled')

  it('rules are tried out before they are saved; the preview is what then happens, and another change voids it', async () => {
    const { page } = await open('rules')
    await page.getByLabel('American Express').check()
    expect(await stopped(page, 'Save these rules…')).toBe('true')
    await page.getByRole('button', { name: 'Show what would change' }).click()
    const preview = page.locator('.panel', { has: page.getByRole('heading', { name: 'What would change now' }) })
    await preview.getByText('Would not be answered any more: 1 · EUR 191.20').waitFor()
    await preview.getByText('Card schemes: American Express').waitFor()
    // Other rules than those of the preview can't be saved.
    await page.getByLabel('Smallest in scope').fill('15')
    expect(await stopped(page, 'Save these rules…')).toBe('true')
    await page.getByRole('button', { name: 'Show what would change' }).click()
    await preview.getByText('Would not be answered any more: 2').waitFor()
    await page.getByRole('button', { name: 'Save these rules…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save these rules?' })
    await dialog.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Keep the old rules')
    await dialog.getByRole('button', { name: /^Save the rules of/ }).click()
    await page.getByText('These are the saved rules.').waitFor()
    expect(await savedRules()).toMatchObject({ cardSchemes: ['amex'], chargebackAmount: { min: 15 } })
  })

  it('rules that somebody else saved meanwhile are not overwritten; clearing says what it clears', async () => {
    const { page } = await open('rules')
    await page.getByLabel('American Express').uncheck()
    await page.getByRole('button', { name: 'Show what would change' }).click()
    await page.getByRole('heading', { name: 'What would change now' }).waitFor()
    const path = `/v1/integrations/${visits.shop.at.integrationId}/scope-settings`
    await visits.shop.stage.call('PUT', path, { body: { cardSchemes: ['amex', 'discover'] } })
    await page.getByRole('button', { name: 'Save these rules…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save these rules?' })
    await dialog.getByText('Without a rule from now on: Card schemes').waitFor()
    await dialog.getByRole('button', { name: /^Save the rules of/ }).click()
    await dialog.getByText('Somebody saved other rules meanwhile').waitFor()
    expect((await savedRules()).cardSchemes).toEqual(['amex', 'discover'])
  })

  it('an automatic policy is tried out, saved with its consequence, and is in the audit with who did it', async () => {
    const { page, faults } = await open('rules?tab=automatic')
    await page.getByRole('heading', { name: 'Valid now: people submit' }).waitFor()
    await page.getByLabel('Who submits').selectOption('auto')
    await page.getByLabel('Hours before the due date').fill('12')
    await page.getByText('Write a number from 30 to 240.').waitFor()
    expect(await stopped(page, 'Show what would be submitted')).toBe('true')
    await page.getByLabel('Hours before the due date').fill('70')
    await page.getByRole('button', { name: 'Show what would be submitted' }).click()
    await page.locator('.notice', { hasText: 'but evidence is built 72 hours' }).waitFor()
    expect(faults.splice(0)).toEqual([expect.stringContaining('400')])
    await page.getByLabel('Hours before the due date').fill('48')
    await page.getByRole('button', { name: 'Show what would be submitted' }).click()
    await page.getByRole('heading', { name: '1 of 3 open ones would be submitted' }).waitFor()
    await page.getByText('Data is still awaited').waitFor()
    await page.getByRole('button', { name: 'Save this policy…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save this policy?' })
    await dialog.getByText('Recoup will submit 1 · EUR 10.00 without a person').waitFor()
    await checkInBoth(page, 'saving a policy')
    await dialog.getByRole('button', { name: 'Save, and let Recoup submit' }).click()
    await page.getByRole('heading', { name: 'Valid now: automatic' }).waitFor()
    expect((await settings()).ownAutomaticSubmission).toEqual({ mode: 'auto', hoursBeforeDue: 48 })

    await page.getByRole('link', { name: 'Audit' }).click()
    const row = page.locator('tbody tr', { hasText: 'automatic submission changed' })
    await row.getByText('Jana (you)').waitFor()
    await row.getByRole('button').click()
    expect(page.url()).toContain('credential=')
    await page.getByLabel('About').selectOption('chargeback')
    await page.getByText('Nothing matches.').waitFor()
  })

  it('a policy that somebody else saved meanwhile is not overwritten, and what was typed stays', async () => {
    const { page } = await open('rules?tab=automatic')
    const hours = page.getByLabel('Hours before the due date')
    await hours.fill('50')
    await page.getByRole('button', { name: 'Show what would be submitted' }).click()
    await page.getByRole('button', { name: 'Save this policy…' }).and(page.locator('[aria-disabled="false"]')).click()
    const others = { mode: 'auto', hoursBeforeDue: 40 }
    await visits.shop.stage.call('PATCH', '/v1/settings', { body: { automaticSubmission: others } })
    const dialog = page.getByRole('dialog', { name: 'Save this policy?' })
    await dialog.getByRole('button', { name: /^Save/ }).click()
    await dialog.getByText('Somebody saved another policy meanwhile').waitFor()
    expect((await settings()).ownAutomaticSubmission).toEqual(others)
    await page.keyboard.press('Escape')
    expect(await hours.inputValue()).toBe('50')
  })

  it('playbooks are read', async () => {
    const { page } = await open('rules?tab=playbooks', 'read')
    await page.locator('summary', { hasText: 'Not received' }).click()
    await page.locator('details[open] .sentences li').first().waitFor()
  })

  it('a reader sees rules and policy and can change nothing', async () => {
    const { page } = await open('rules', 'read')
    await page.getByText('Card schemes').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    expect(await page.getByRole('button', { name: /Save|Show what/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'Automatic submission' }).click()
    await page.getByRole('heading', { name: /^Valid now/ }).waitFor()
    expect(await page.locator('main form, main .form').count()).toBe(0)
  })

  it('the outcome of an alert is reported, interim first, then for good', async () => {
    const { stage, at } = visits.shop
    await storeAlert(stage.db, at, {
      ...{ reference: 'a-1', psp: 'stripe', providerName: 'Ethoca', alertDate: '2026-01-31T09:30:00Z' },
      ...{ money: { currency: 'EUR', amountMinor: 1_099n, amountExponent: 2 }, transactionId: '<i>tx</i>' },
      ...{ arn: null, externalTransactionIdentifier: null, reasonCode: null, reason: null, fraudType: null },
      ...{ cardScheme: 'mastercard', paymentMethod: null, bin: null, cardLastFourDigits: '4444' },
    })
    const { page } = await open('alerts', 'work')
    const row = page.locator('tbody tr', { hasText: '<i>tx</i>' })
    for (const [outcome, act] of [
      ['in_progress', 'Report the outcome'],
      ['stopped', 'Report, for good'],
    ] as const) {
      await row.getByRole('button').click()
      const dialog = page.getByRole('dialog', { name: /What became of the alert/ })
      await dialog.getByLabel('Outcome').selectOption(outcome)
      await checkInBoth(page, 'the outcome of an alert')
      await dialog.getByRole('button', { name: act }).click()
      await dialog.waitFor({ state: 'detached' })
    }
    await row.getByText('The order was stopped').waitFor()
    expect(await row.getByRole('button').count()).toBe(0)
  })

  it.each(LOOKS)('%s: axe finds nothing, and nothing scrolls sideways', async (_, options) => {
    const { page } = await open('rules', 'manage', options)
    await page.getByLabel('Visa', { exact: true }).check()
    await page.getByRole('button', { name: 'Show what would change' }).click()
    await page.getByRole('heading', { name: 'What would change now' }).waitFor()
    await checkAccessibility(page, 'rules with a preview')
    await page.getByRole('button', { name: 'Save these rules…' }).click()
    await checkAccessibility(page, 'saving rules')
    await page.keyboard.press('Escape')
    for (const [path, ready] of [
      ['rules?tab=automatic', '.form'],
      ['rules?tab=playbooks', '.playbook'],
      ['audit', 'tbody tr'],
      ['alerts', 'tbody tr, .empty'],
    ] as const) {
      await page.goto(`${visits.shop.origin}/console/${path}`)
      await page.locator(ready).first().waitFor()
      await checkAccessibility(page, path)
    }
  })
})
