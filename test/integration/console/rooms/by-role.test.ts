import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { storeAlert } from '../../../../db/alerts/alerts.ts'
import { quarantine } from '../../../../db/polling/quarantine.ts'
import { installedBrowser } from '../../../interface/reference-page.ts'
import { ethocaAlert } from '../../../interface/resources.ts'
import { textOf } from '../scene.ts'
import { openVisits, type Visits } from '../visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, roles are not tried in a browser')

const HOUR = 3_600_000

describe.skipIf(!executable)('integrations, rules and alerts, by role', () => {
  let visits: Visits
  /** One that works, and one whose key was refused. */
  let polled: string
  let refused: string
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [{ reason: 'Fraud' }, { reason: 'Fraud' }])
    const { stage, at, newIntegration } = visits.shop
    polled = at.integrationId
    refused = await newIntegration()
    const objects = [1, 2, 3].map((n) => ({
      ...{ reference: `du_unread_${n}`, reason: 'The amount is missing.', text: '{}', hash: Buffer.alloc(32, n) },
    }))
    await quarantine(stage.db, stage.ring, polled, objects, [], 1)
    await set(polled, { integration_name: 'Works', polled_at: new Date(Date.now() - 25.5 * HOUR) })
    await set(refused, {
      integration_name: 'Refused',
      status: 'FAILED',
      status_reason: 'Stripe refused the key (401).',
    })
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())

  const set = (
    id: string,
    values: { integration_name: string; polled_at?: Date; status?: string; status_reason?: string },
  ) => visits.shop.stage.db.updateTable('integration').set(values).where('integration_id', '=', id).execute()

  it('manage: a row says when it was polled, its chargebacks and its quarantine; a refused key leads to its replacement', async () => {
    const { page } = await visits.open('integrations', {}, 'manage')
    const rowOf = (name: string) => page.locator('.rows li', { has: page.getByRole('link', { name, exact: true }) })
    await rowOf('Works').getByText('SUCCESSFUL').waitFor()
    const facts = await rowOf('Works').locator('.facts-line span').allTextContents()
    expect(facts).toEqual(['polled 25 h ago', '2 chargebacks', '3 in quarantine'])
    expect(await rowOf('Works').getByRole('link', { name: 'Replace the key' }).count()).toBe(0)
    expect(
      await rowOf('Works')
        .getByRole('button', { name: /^Poll now/ })
        .count(),
    ).toBe(1)

    await rowOf('Refused').getByText('Stripe refused the key (401).').waitFor()
    expect(await textOf(rowOf('Refused').locator('.status'))).toContain('FAILED')
    expect(await textOf(rowOf('Refused').locator('.facts-line'))).toBe('not polled yet0 chargebacks0 in quarantine')
    await rowOf('Refused').getByRole('link', { name: 'Replace the key' }).click()
    await page.getByRole('heading', { name: 'Refused', level: 1 }).waitFor()
    expect(page.url()).toContain(refused)
    await page.getByRole('button', { name: 'Replace the key…' }).click()
    await page.getByRole('dialog', { name: 'Replace the key' }).getByLabel('Restricted key').waitFor()
  })

  it('manage: the form of each PSP lists what its credential must be allowed', async () => {
    const { page } = await visits.open('integrations?connect=choose', {}, 'manage')
    await page.locator('.choices a').first().waitFor()
    const { data } = (await visits.shop.stage.call('GET', '/v1/integrations/options')).body
    const options = data as { source: string; displayName: string; permissions: string[] }[]
    expect(options.filter(({ permissions }) => permissions.length > 0).length).toBeGreaterThan(1)
    for (const { source, displayName, permissions } of options) {
      await page.locator(`.choices a[href*="connect=${source}"]`).click()
      await page.getByRole('heading', { name: `Connect ${displayName}` }).waitFor()
      await page.getByRole('button', { name: `Connect ${displayName}` }).waitFor()
      const listed = page.locator('form div', { hasText: `What it must be allowed at ${displayName}` }).locator('li')
      expect(await listed.allTextContents(), source).toEqual(permissions)
      await page.goBack()
    }
  })

  it('manage: an end by due date is stored, and told with its type and date', async () => {
    const { page } = await visits.open(`integrations/${polled}`, { timezoneId: 'UTC' }, 'manage')
    await page.getByRole('button', { name: 'Deactivate…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Deactivate this integration?' })
    await dialog.getByLabel('Not handled are chargebacks that').selectOption('are due on or after the date')
    await dialog.getByLabel('Date').fill('2099-03-02')
    await dialog.getByRole('button', { name: 'Deactivate on this date' }).click()
    await dialog.waitFor({ state: 'detached' })
    const ends = page.locator('.facts > div', { has: page.getByText('Ends', { exact: true }) }).locator('dd')
    await expect.poll(() => textOf(ends)).toMatch(/^2 Mar 2099, 00:00.*, by due date$/)
    const stored = await visits.shop.stage.call('GET', `/v1/integrations/${polled}?expand=details`)
    expect(stored.body.details.deactivation).toEqual({ type: 'dueDate', date: '2099-03-02T00:00:00.000Z' })
    await page.getByRole('button', { name: 'Move the end…' }).click()
    await dialog.waitFor()
    expect(await dialog.getByLabel('Date').inputValue()).toBe('2099-03-02')
    expect(await dialog.getByLabel('Not handled are chargebacks that').inputValue()).toBe('dueDate')
  })

  it.each(['read', 'work'] as const)('%s: integrations are seen, and nothing can be changed', async (role) => {
    const { page, faults } = await visits.open('integrations', {}, role)
    await page.locator('.rows li').nth(1).waitFor()
    const acts = page.getByRole('main').locator('.acts, a.button')
    expect(await acts.count()).toBe(0)
    await page.getByRole('link', { name: 'Refused', exact: true }).click()
    await page.getByRole('heading', { name: 'Account and polls' }).waitFor()
    expect(await acts.count()).toBe(0)
    await page.goto(`${visits.shop.origin}/console/integrations?connect=stripe`)
    await page.getByText('People whose role is manage can connect').waitFor()
    expect(await page.locator('form.form').count()).toBe(0)
    await page.goto(`${visits.shop.origin}/console/integrations/0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10`)
    await page.getByRole('heading', { name: 'No such integration' }).waitFor()
    expect(faults.splice(0)).toEqual([expect.stringContaining('404')])
  })
  it.each(['read', 'work'] as const)('%s: rules and policy are seen, and nothing can be changed', async (role) => {
    const { page } = await visits.open('rules', {}, role)
    await page.getByText('Card schemes').waitFor()
    expect(await page.getByRole('checkbox').count()).toBe(0)
    expect(await page.getByRole('button', { name: /Save|Show what/ }).count()).toBe(0)
    await page.getByRole('link', { name: 'Automatic submission' }).click()
    await page.getByRole('heading', { name: /^Valid now/ }).waitFor()
    expect(await page.locator('main form, main .form').count()).toBe(0)
  })

  it('read: an alert is seen, and its outcome cannot be reported', async () => {
    const { stage, at } = visits.shop
    await storeAlert(stage.db, at, { ...ethocaAlert(), transactionId: 'tx_read' })
    const { page } = await visits.open('alerts', {}, 'read')
    await page.locator('tbody tr', { hasText: 'tx_read' }).waitFor()
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
  })
})
