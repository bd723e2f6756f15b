import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { revokeCredential } from '../../../../db/merchants/credentials.ts'
import { addToGroup, createGroup, removeFromGroup } from '../../../../db/merchants/groups.ts'
import { installedBrowser } from '../../../interface/reference-page.ts'
import { addIntegration } from '../../api/chargebacks/chargeback-rows.ts'
import { signIn } from '../scene.ts'
import { openVisits, type Visits } from '../visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no group credential is used in a browser')

interface Shop {
  merchantUuid: string
  referenceId: string
  integrationId: string
  /** Of its chargeback. */
  id: string
  reason: string
}

describe.skipIf(!executable)('a credential of a group of merchants', () => {
  let visits: Visits
  let groupId: string
  let north: Shop
  let south: Shop
  /** Of the same account, not of the group. */
  let foreign: Shop
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
    const { stage } = visits.shop
    north = await open('north')
    south = await open('south')
    foreign = await open('foreign')
    groupId = (await createGroup(stage.db, { accountId: stage.accountId, name: 'North and south' })).groupId
    for (const { merchantUuid } of [north, south]) await addToGroup(stage.db, { groupId, merchantUuid })
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())

  async function open(name: string): Promise<Shop> {
    const { stage, add } = visits.shop
    const { merchantUuid, referenceId } = await stage.newMerchant(stage.accountId, name)
    const integrationId = await addIntegration(stage.db, stage.ring, merchantUuid, {
      integrationName: `PSP of ${name}`,
    })
    const reason = `Dispute of ${name}`
    const place = { merchant_uuid: merchantUuid, integration_id: integrationId }
    const [id = ''] = await add([{ ...place, reason, due_date: new Date(Date.now() + 2 * 86_400_000) }])
    return { merchantUuid, referenceId, integrationId, id, reason }
  }
  const enter = () => {
    const { stage } = visits.shop
    return stage.issue({ accountId: stage.accountId, scope: 'group', groupId, role: 'work', name: 'Jana' })
  }
  /** Opens a path of the console with a new credential of the group. */
  async function visit(path: string) {
    const issued = await enter()
    const at = { ...visits.shop, issue: async () => issued }
    return { ...(await visits.open(path, {}, 'work', at)), ...issued }
  }
  const go = (page: Page, path: string) => page.goto(`${visits.shop.origin}/console/${path}`)
  const commands = ({ id }: Shop) =>
    visits.shop.stage.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).execute()

  it('sees the chargebacks of its merchants, one merchant at a time, and accepts one', async () => {
    const { page } = await visit('queue')
    const picker = page.getByLabel('Merchant')
    await picker.waitFor()
    const offered = await picker
      .locator('option')
      .evaluateAll((all) => all.map((one) => (one as never as { value: string }).value))
    expect(offered.toSorted()).toEqual([north.referenceId, south.referenceId])
    for (const [own, other] of [
      [north, south],
      [south, north],
    ] as const) {
      await picker.selectOption(own.referenceId)
      await page.locator('table tbody', { hasText: own.reason }).waitFor()
      expect(await page.locator('body').textContent()).not.toContain(other.reason)
      expect(await page.locator('body').textContent()).not.toContain(foreign.reason)
      // So that the address of a case, when it is shared, is of the same merchant.
      expect(await page.locator('table a.open').first().getAttribute('href')).toContain(`m=${own.referenceId}`)
    }
    await page.locator('table a.open').first().click()
    await page.getByRole('button', { name: 'Accept…' }).click()
    await page.getByRole('button', { name: /^Accept and lose/ }).click()
    await page.getByText('Requested by Jana').waitFor()
    expect(await commands(south)).toMatchObject([{ kind: 'acceptance', merchant_uuid: south.merchantUuid }])
  })

  it('another merchant’s chargeback and integration are as if they did not exist, and no act reaches it', async () => {
    const { page, expects } = await visit('queue')
    await page.locator('table a.open').first().waitFor()
    expects(/status of 40[14]/)
    // Also that of another merchant of the group.
    for (const { id } of [south, foreign]) {
      await go(page, `chargebacks/${id}?m=${north.referenceId}`)
      await page.getByText('There is no chargeback with this id in').waitFor()
      await page.getByText('It may be of another merchant: choose it above.').waitFor()
    }
    expect(await page.getByRole('button', { name: /Accept|Submit|fight/ }).count()).toBe(0)
    await go(page, `integrations/${foreign.integrationId}?m=${north.referenceId}`)
    await page.getByRole('heading', { name: 'No such integration' }).waitFor()
    expect(await page.locator('body').textContent()).not.toContain('of foreign')
    // By hand, naming a merchant of the group, the other one, and none.
    const tried =
      await page.evaluate(`Promise.all(${JSON.stringify([north.referenceId, foreign.referenceId, null])}.map(async (merchant) => {
      const response = await fetch('/console/v1/chargebacks/${foreign.id}/accept', {
        method: 'POST',
        headers: { ...(merchant && { 'reference-account-id': merchant }), 'idempotency-key': crypto.randomUUID() },
      })
      return [response.status, (await response.json()).code]
    }))`)
    expect(tried).toEqual([
      [404, 'chargeback_not_found'],
      [401, 'reference_account_unreachable'],
      [401, 'reference_account_required'],
    ])
    expect(await commands(foreign)).toEqual([])
  })

  it('an address with a merchant that is none of its own says so, and shows nobody’s data', async () => {
    const { page } = await visit('queue')
    await page.locator('table a.open').first().waitFor()
    for (const path of ['queue', `chargebacks/${foreign.id}`, `integrations/${foreign.integrationId}`, 'webhooks']) {
      let asked: string[] = []
      // The former page asks until it has gone.
      page.once('framenavigated', () => {
        asked = []
      })
      const listen = (request: { url(): string }) => asked.push(request.url())
      page.on('request', listen)
      await go(page, `${path}?m=${foreign.referenceId}`)
      await page.getByRole('heading', { name: 'No such merchant' }).waitFor()
      page.off('request', listen)
      expect(asked.filter((url) => url.includes('/console/v1/'))).toEqual([])
      expect(await page.locator('main').textContent()).toContain('There is no merchant foreign')
    }
    await page.getByRole('link', { name: /^Open the queue of/ }).click()
    await page.locator('table a.open').first().waitFor()
    await go(page, `queue?m=${foreign.referenceId}`)
    await page.getByLabel('Merchant').selectOption(south.referenceId)
    await page.locator('table tbody', { hasText: south.reason }).waitFor()
  })

  it('a merchant that is not among those that are listed may be a later one: the page says so', async () => {
    const { page } = await visit('queue')
    await page.locator('table a.open').first().waitFor()
    // As with more than 1,000 merchants.
    await page.route('**/console/session', async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      await route.fulfill({ response, json: { ...body, me: { ...body.me, hasMore: true } } })
    })
    await go(page, `queue?m=${foreign.referenceId}`)
    await page.getByRole('heading', { name: 'This merchant is not listed' }).waitFor()
    await page.getByText('the first 2 merchants of your credential').waitFor()
    await page.getByText('foreign may be a later one: sign in with its own credential').waitFor()
    expect(await page.getByText('There is no merchant').count()).toBe(0)
  })

  it('revoked in mid-session: the screen is cleared and says so, and the token signs in no more', async () => {
    const { page, token, credentialId, expects } = await visit(`chargebacks/${north.id}?m=north`)
    await page.getByText(north.reason).first().waitFor()
    expects(/status of 401/)
    await revokeCredential(visits.shop.stage.db, credentialId)
    // The person comes back to the window: what it shows is read again.
    await page.evaluate("window.dispatchEvent(new Event('focus'))")
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.waitFor()
    expect(await page.locator('body').textContent()).not.toContain(north.reason)
    await ended.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Token').fill(token)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('Authorization error').waitFor()
    await signIn(page, (await enter()).token)
    // Where the person was.
    await page.getByText(north.reason).first().waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console/chargebacks/${north.id}`)
  })

  it('a merchant that leaves the group in mid-session: its screens say so, the others stay', async () => {
    const { page, expects } = await visit('queue?m=south')
    await page.locator('table a.open').first().waitFor()
    expects(/status of 401/)
    await removeFromGroup(visits.shop.stage.db, { groupId, merchantUuid: south.merchantUuid })
    await page.locator('table a.open').first().click()
    await page.getByText('no permission to access the referenced account').first().waitFor()
    expect(await page.getByRole('button', { name: 'Accept…' }).count()).toBe(0)
    await page.getByLabel('Merchant').selectOption(north.referenceId)
    await page.locator('table tbody', { hasText: north.reason }).waitFor()
    await page.reload()
    await expect.poll(() => page.getByLabel('Merchant').count()).toBe(0)
    await page.locator('table tbody', { hasText: north.reason }).waitFor()
  })
})
