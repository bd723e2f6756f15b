import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { changeSettings } from '../../../db/merchants/account-settings.ts'
import { installedBrowser } from '../../interface/reference-page.ts'
import { stubDrafts } from '../../interface/resources.ts'
import { addCase } from './cases.ts'
import { checkAccessibility } from './scene.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no dialog is looked at')

const MINUTE_MS = 60_000

describe.skipIf(!executable)('axe finds nothing in dialogs that other tests do not open', () => {
  let visits: Visits
  let id: string
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
    const { stage } = visits.shop
    stubDrafts(stage.deps)
    await changeSettings(stage.db, stage.accountId, { automaticSubmission: { mode: 'auto' } })
    id = await addCase(visits.shop)
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())

  async function look(page: Page, button: string, title: string | RegExp) {
    await page.getByRole('button', { name: button, exact: true }).click()
    await page.getByRole('dialog', { name: title }).waitFor()
    await checkAccessibility(page, String(title))
  }
  async function leave(page: Page) {
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  describe.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' as const }],
    ['375 px', { viewport: { width: 375, height: 700 } }],
  ])('%s', (name, options) => {
    it('of a case: deciding, holding, releasing', async () => {
      const { page, faults } = await visits.open(`chargebacks/${id}`, options)
      await look(page, "Don't fight…", 'Not fight this chargeback?')
      await leave(page)
      await page.keyboard.press('e')
      await look(page, 'Hold…', 'Hold the automatic submission?')
      await page.getByRole('button', { name: 'Hold it' }).click()
      await page.getByText('Not submitted automatically: it is held').waitFor()
      await look(page, 'Release…', 'Release the automatic submission?')
      await page.getByRole('button', { name: 'Release it' }).click()
      await page.getByRole('button', { name: 'Hold…', exact: true }).waitFor()
      expect(faults).toEqual([])
    })

    it('of the queue: naming a view, several at once', async () => {
      const { page, faults } = await visits.open('queue?psp=stripe&pspStatus=needs_response', options)
      await page.locator('a.open').first().waitFor()
      await look(page, 'Save view…', 'Save this view')
      await leave(page)
      // On a small window rows are cards that only their key selects.
      await page.keyboard.press('j')
      await page.keyboard.press('x')
      for (const [button, title] of [
        ['Fight…', 'Fight these chargebacks?'],
        ["Don't fight…", 'Not fight these chargebacks?'],
        ['Hold automatic submission…', 'Hold automatic submission?'],
      ] as const) {
        await look(page, button, title)
        await leave(page)
      }
      expect(faults).toEqual([])
    })

    it('of a session: its end by want of use, its end', async () => {
      const { page } = await visits.open('queue', options)
      await page.locator('a.open').first().waitFor()
      await page.clock.install()
      await page.clock.fastForward(28 * MINUTE_MS)
      await page.getByRole('dialog', { name: 'Are you still there?' }).waitFor()
      await checkAccessibility(page, `idle, ${name}`)
      await visits.shop.stage.db.deleteFrom('console_session').execute()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
      await checkAccessibility(page, `ended, ${name}`)
    })
  })
})
