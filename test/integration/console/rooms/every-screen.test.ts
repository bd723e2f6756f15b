import { afterAll, afterEach, beforeAll, describe, it } from 'vitest'
import { storeAlert } from '../../../../db/alerts/alerts.ts'
import { installedBrowser } from '../../../interface/reference-page.ts'
import { ethocaAlert } from '../../../interface/resources.ts'
import { addCase } from '../cases.ts'
import { demoRows } from '../demo-rows.ts'
import { checkForcedBorders, checkInBoth, checkTextSpacing, checkWidth } from '../scene.ts'
import { openVisits, type Visits } from '../visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no screen is zoomed in a browser')

describe.skipIf(!executable)('every screen', () => {
  let visits: Visits
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', demoRows(Date.now(), { open: 12, decided: 24 }))
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())

  it('at 200 % zoom: nothing scrolls sideways, wider text fits, and borders stay in forced colours', async () => {
    const { stage, at } = visits.shop
    const id = await addCase(visits.shop)
    await storeAlert(stage.db, at, ethocaAlert())
    const body = { url: 'https://receiver.example/hooks', events: ['*'], description: 'Order system' }
    const endpoint = (await stage.call('POST', '/v1/webhook-endpoints', { body })).body.id
    const zoomed = { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }
    const { page } = await visits.open('queue?pspStatus=needs_response', zoomed, 'manage')
    await page.locator('a.open').first().waitFor()
    for (const [path, ready] of [
      ['queue?pspStatus=needs_response', 'a.open'],
      [`chargebacks/${id}`, '.timeline li'],
      [`chargebacks/${id}?tab=evidence`, '.upload'],
      ['overview', '.picture svg'],
      ['alerts', 'tbody tr'],
      ['integrations', '.rows li'],
      [`integrations/${at.integrationId}`, '.acts button'],
      ['integrations?connect=choose', '.choices li'],
      ['integrations?connect=stripe', 'form.form'],
      ['webhooks', '.rows li'],
      [`webhooks/${endpoint}`, '#facts'],
      ['webhooks?new=1', 'form.form'],
      ['rules', 'main input'],
      ['rules?tab=automatic', '.form'],
      ['rules?tab=playbooks', '.playbook'],
      ['audit', 'tbody tr'],
    ] as const) {
      await page.goto(`${visits.shop.origin}/console/${path}`)
      await page.locator(ready).first().waitFor()
      await checkWidth(page, `${path} at 200 %`)
      await checkForcedBorders(page, path)
      await checkTextSpacing(page, `${path} at 200 %`)
    }
  })

  it('without anything to show: axe finds nothing, in light and in dark', async () => {
    const { stage } = visits.shop
    const { accountId } = stage
    const { merchantUuid } = await stage.newMerchant(accountId, 'shop-without-anything')
    const issued = await stage.issue({ accountId, scope: 'merchant', merchantUuid, role: 'manage', name: 'Jana' })
    const { page } = await visits.open('queue', {}, 'manage', { ...visits.shop, issue: async () => issued })
    for (const path of ['queue', 'overview', 'alerts', 'integrations', 'webhooks', 'rules', 'audit']) {
      await page.goto(`${visits.shop.origin}/console/${path}`)
      await page.locator('.empty').first().waitFor()
      await checkInBoth(page, `${path} without anything`)
    }
  })
})
