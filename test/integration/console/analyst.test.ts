import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueCredential, revokeCredential } from '../../../db/merchants/credentials.ts'
import { chargebackOf, createDispute, pollNow } from '../../harness/rows.ts'
import { type Stack, startStack } from '../../harness/stack.ts'
import { until } from '../../harness/until.ts'
import { installedBrowser, startBrowser } from '../../interface/reference-page.ts'
import { checkAccessibility, LOOKS, openScene, signIn } from './scene.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, the console is not tried in a browser')

describe.skipIf(!executable)('the console in a real browser', () => {
  let stack: Stack
  let browser: Browser
  let origin: string
  let integrationId: string
  beforeAll(async () => {
    stack = await startStack()
    integrationId = await stack.connectStripe()
    origin = new URL(stack.apis[0]?.url ?? '').origin
    browser = await startBrowser(executable ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await stack?.[Symbol.asyncDispose]()
  })

  async function dispute(change: object = {}): Promise<{ ref: string; id: string }> {
    const ref = await createDispute(stack, { stage: 'chargeback', ...change })
    await pollNow(stack, integrationId)
    return { ref, id: (await chargebackOf(stack, ref)).id as string }
  }
  const issue = (role: 'read' | 'work' | 'manage', name: string) =>
    issueCredential(stack.db, stack.ring, {
      ...{ accountId: stack.accountId, scope: 'merchant', merchantUuid: stack.merchantUuid, environment: 'sandbox' },
      ...{ role, name },
    })
  const effects = async (ref: string) =>
    (await stack.control('GET', `/effects?ref=${ref}&kind=acceptance`)).body.effects

  it('an analyst signs in, finds a case, fills what is missing, accepts it, and sees the PSP confirm', async () => {
    const { ref, id } = await dispute()
    const { token } = await issue('work', 'Jana')
    const { page, context, faults } = await openScene(browser, origin)
    await page.goto(`${origin}/console/chargebacks/${id}`)
    // The address waits behind the sign-in.
    await page.getByLabel('Token').fill('not a token')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Credential is invalid').waitFor()
    expect(faults.splice(0)).toEqual([expect.stringContaining('401')])
    await signIn(page, token)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    expect(page.url()).toBe(`${origin}/console/chargebacks/${id}`)

    await page.getByRole('link', { name: 'Queue' }).click()
    await page.getByLabel('View', { exact: true }).selectOption('All open')
    await page.locator(`a[href^="/console/chargebacks/${id}"]`).click()

    const field = page.locator('.missing form').first()
    const label = (await field.locator('label').textContent()) ?? ''
    const input = field.locator('input, select')
    if ((await input.evaluate((one) => one.tagName)) === 'SELECT') await input.selectOption('yes')
    else await input.fill((await input.getAttribute('type')) === 'date' ? '2026-01-31' : 'a value')
    await field.getByRole('button').click()
    await page.locator('.points th', { hasText: label }).waitFor()
    await page.getByText('data points changed').waitFor()

    await page.getByRole('button', { name: 'Accept…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Accept this chargeback?' })
    await dialog.waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Keep it open')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Accept…')
    expect(await effects(ref)).toEqual([])

    await page.keyboard.press('Enter')
    await dialog.waitFor()
    const act = dialog.getByRole('button', { name: /^Accept and lose/ })
    const known = dialog.getByRole('checkbox')
    if ((await known.count()) > 0) {
      // Not permitted yet: a click does nothing.
      await act.dispatchEvent('click')
      await known.check()
    }
    await act.dblclick()
    await page.getByText(/Accepted, confirmed by Stripe/).waitFor()
    await page.getByText('Requested by Jana').waitFor()
    expect(await effects(ref)).toHaveLength(1)
    const commands = await stack.db.selectFrom('command').selectAll().where('chargeback_id', '=', id).execute()
    expect(commands).toHaveLength(1)
    const again = page.getByRole('button', { name: 'Accept…' })
    await again.and(page.locator('[aria-disabled="true"]')).waitFor()
    expect(await page.evaluate('document.cookie')).toBe('')
    expect(await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')).toBe('[{},{}]')
    await context.close()
  })

  it('two people who accept at once are told the same: one acceptance', async () => {
    const { ref, id } = await dispute()
    const people = await Promise.all(
      ['Jana', 'Omar'].map(async (name) => {
        const { token } = await issue('work', name)
        const scene = await openScene(browser, origin)
        await scene.page.goto(`${origin}/console/chargebacks/${id}`)
        await signIn(scene.page, token)
        await scene.page.getByRole('button', { name: 'Accept…' }).click()
        const known = scene.page.getByRole('checkbox')
        if ((await known.count()) > 0) await known.check()
        return scene
      }),
    )
    await Promise.all(people.map(({ page }) => page.getByRole('button', { name: /^Accept and lose/ }).click()))
    for (const { page } of people)
      await page
        .getByText(/Accepted, confirmed by Stripe|It changed meanwhile/)
        .first()
        .waitFor()
    expect(await effects(ref)).toHaveLength(1)
    for (const { context } of people) await context.close()
  })

  it('should-fight is decided, and back', async () => {
    const { id } = await dispute()
    const { page, context } = await openScene(browser, origin)
    await page.goto(`${origin}/console/chargebacks/${id}`)
    await signIn(page, (await issue('work', 'Jana')).token)
    await page.getByRole('button', { name: "Don't fight…" }).click()
    await page.getByRole('dialog').getByRole('button', { name: "Don't fight", exact: true }).click()
    await page.getByRole('button', { name: 'Fight…', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Fight', exact: true }).click()
    await page.getByRole('button', { name: "Don't fight…" }).waitFor()
    await context.close()
  })

  it('what is not permitted is absent; what is impossible says why', async () => {
    const { id } = await dispute({ stage: 'chargeback' })
    const { page, context, expects } = await openScene(browser, origin)
    await page.goto(`${origin}/console/chargebacks/${id}`)
    await signIn(page, (await issue('read', 'Auditor')).token)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    expect(await page.getByRole('button', { name: /Accept|ight|Save/ }).count()).toBe(0)
    expects(/status of 404/)
    await page.goto(`${origin}/console/chargebacks/0198c5a4-6c1e-7d60-9a55-2f4b1f6f7d10`)
    await page.getByRole('heading', { name: 'No such chargeback' }).waitFor()
    await page.goto(`${origin}/console/nothing`)
    await page.getByRole('heading', { name: 'Nothing is here' }).waitFor()
    await context.close()
  })

  it('a revoked session blanks the screen, and the sign-in returns to it', async () => {
    const { id } = await dispute()
    const { page, context, expects } = await openScene(browser, origin)
    await page.goto(`${origin}/console/chargebacks/${id}`)
    const { token, credentialId } = await issue('work', 'Jana')
    await signIn(page, token)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    expects(/status of 401/)
    await revokeCredential(stack.db, credentialId)
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor()
    expect(await page.locator('body').textContent()).not.toContain('Timeline')
    await page.getByRole('link', { name: 'Sign in' }).click()
    await signIn(page, (await issue('work', 'Jana')).token)
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await context.close()
  })

  it('is not framed by another origin', async () => {
    const { page, context, expects } = await openScene(browser, origin)
    expects(/frame-ancestors/)
    await page.goto('about:blank')
    const attached = page.waitForEvent('frameattached')
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: '${origin}/console' }))`,
    )
    const frame = await attached
    const refused = (url: string) => url.startsWith('chrome-error:')
    expect(await until('the frame is refused', async () => frame.url(), { holds: refused })).toBe(
      'chrome-error://chromewebdata/',
    )
    await context.close()
  })

  describe.each(LOOKS)('%s', (_, options) => {
    it('axe finds nothing on any screen, and nothing scrolls sideways', async () => {
      const { id } = await dispute()
      const { page, context } = await openScene(browser, origin, options)
      await page.goto(`${origin}/console`)
      await page.getByLabel('Token').waitFor()
      await checkAccessibility(page, 'sign-in')
      await signIn(page, (await issue('work', 'Jana')).token)
      await page.locator('.rail').waitFor()
      await page.goto(`${origin}/console/queue?pspStatus=needs_response`)
      await page.locator('table.queue tbody tr').first().waitFor()
      await checkAccessibility(page, 'queue')
      await page.goto(`${origin}/console/queue?psp=paypal`)
      await page.getByText('No chargeback matches').waitFor()
      await checkAccessibility(page, 'empty queue')
      await page.goto(`${origin}/console/chargebacks/${id}`)
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await checkAccessibility(page, 'case')
      await page.getByRole('button', { name: 'Accept…' }).click()
      await page.getByRole('dialog').waitFor()
      await checkAccessibility(page, 'confirmation')
      await context.close()
    })
  })
})
