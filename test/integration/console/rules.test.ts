import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { storeAlert } from '../../../db/alerts/alerts.ts'
import type { ActivityDeps } from '../../../workflows/activities/deps.ts'
import { reevaluateSlice } from '../../../workflows/activities/integrations/scope.ts'
import { installedBrowser } from '../../interface/reference-page.ts'
import { buildDraft, ethocaAlert } from '../../interface/resources.ts'
import { checkAccessibility, checkInBoth, LOOKS, textOf } from './scene.ts'
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

  /** The summary above the form has the focus, and leads to the one field that it names; it ends with the fault. */
  async function corrects(page: Page, label: string, problem: string) {
    await expect.poll(() => page.evaluate('document.activeElement.className')).toContain('error-summary')
    await checkAccessibility(page, `${label} is wrong`)
    const summary = page.getByRole('region', { name: 'Correct this field' })
    expect(await summary.getByRole('link').allTextContents()).toEqual([`${label}: ${problem}`])
    for (const key of ['Tab', 'Enter']) await page.keyboard.press(key)
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).toBe(label)
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.press('Delete')
    await summary.waitFor({ state: 'detached' })
  }

  it('rules are tried out before they are saved; another change voids the preview', async () => {
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
    await page.getByLabel('Largest in scope').fill('1,000')
    await page.getByRole('button', { name: 'Show what would change' }).click()
    await corrects(page, 'Largest in scope', 'Write an amount like 20 or 20.50.')
    await page.getByLabel('Largest in scope').fill('1000')
    await page.getByRole('button', { name: 'Show what would change' }).click()
    await preview.getByText('Would not be answered any more: 2').waitFor()
    await page.getByRole('button', { name: 'Save these rules…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save these rules?' })
    await dialog.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Keep the old rules')
    await dialog.getByRole('button', { name: /^Save the rules of/ }).click()
    await page.getByText('These are the saved rules.').waitFor()
    expect(await savedRules()).toMatchObject({ cardSchemes: ['amex'], chargebackAmount: { min: 15, max: 1_000 } })
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
    await page.getByRole('button', { name: 'Show what would be submitted' }).click()
    await corrects(page, 'Hours before the due date', 'Write a number from 30 to 240.')
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

  it('the outcome of an alert is reported, interim first, then for good', async () => {
    const { stage, at } = visits.shop
    await storeAlert(stage.db, at, { ...ethocaAlert(), transactionId: '<i>tx</i>' })
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
  it('what leaves and returns is what the preview counted', async () => {
    const { stage, add, at } = visits.shop
    await add([
      { amount_minor: 3_050n, card_scheme: 'visa', currency: 'USD', due_date: due() },
      { amount_minor: 4_000n, card_scheme: 'discover', due_date: due() },
      { amount_minor: 5_000n, card_scheme: 'mastercard', due_date: due() },
    ])
    const decide = () =>
      reevaluateSlice({ db: stage.db, now: () => new Date() } as unknown as ActivityDeps, {
        ...{ integrationId: at.integrationId, asked: 1, after: null },
      })
    type Read = { id: string; status: string; amount: number; currency: string }
    const all = async (query = ''): Promise<Read[]> =>
      (await stage.call('GET', `/v1/chargebacks?limit=100${query}`)).body.data
    await decide()
    const before = await all()
    const { page } = await open('rules')
    for (const scheme of ['American Express', 'Discover']) await page.getByLabel(scheme).uncheck()
    await page.getByLabel('Visa', { exact: true }).check()
    await page.getByRole('button', { name: 'Show what would change' }).click()
    const share = async (words: string) =>
      (await textOf(page.getByRole('heading', { name: words }))).slice(`${words}: `.length)
    const [leaves, returns, stay] = [
      await share('Would not be answered any more'),
      await share('Would be handled again'),
      await share('Stay as they are'),
    ]
    await page.getByRole('button', { name: 'Save these rules…' }).click()
    await page.getByRole('button', { name: /^Save the rules of/ }).click()
    await page.getByText('These are the saved rules.').waitFor()
    // As the worker does within a minute.
    await decide()
    const after = new Map((await all()).map((one) => [one.id, one.status]))
    const isOut = (status: string | undefined) => status === 'not_represented'
    const shareOf = (rows: Read[]) => {
      const sums = new Map<string, number>()
      for (const { currency, amount } of rows) sums.set(currency, (sums.get(currency) ?? 0) + amount)
      return [rows.length, ...[...sums].sort().map(([currency, sum]) => `${currency} ${sum.toFixed(2)}`)].join(' · ')
    }
    const left = before.filter(({ id, status }) => !isOut(status) && isOut(after.get(id)))
    const returned = before.filter(({ id, status }) => isOut(status) && !isOut(after.get(id)))
    expect([leaves, returns]).toEqual([shareOf(left), shareOf(returned)])
    expect(stay).toBe(shareOf(before.filter((one) => !left.includes(one) && !returned.includes(one))))
    expect([left.length, returned.length]).toEqual([3, 2])
    const out = await all('&inScope=false')
    expect(out.map(({ id }) => id).sort()).toEqual(left.map(({ id }) => id).sort())
  })
})
