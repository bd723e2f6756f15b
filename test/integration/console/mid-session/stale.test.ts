import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openProxy, type TcpProxy } from '../../../faults/net/proxy.ts'
import { installedBrowser } from '../../../interface/reference-page.ts'
import { checkAccessibility } from '../scene.ts'
import { openVisits, type Visits } from '../visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no screen becomes stale in a browser')

const LONGER_THAN_FRESH_MS = 70_000
const LONGER_THAN_A_RESPONSE_MS = 36_000

describe.skipIf(!executable)('an API that accepts requests and answers none', () => {
  let visits: Visits
  let proxy: TcpProxy
  let id: string
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
    id = (await visits.shop.add([{ due_date: new Date(Date.now() + 2 * 86_400_000) }]))[0] ?? ''
    proxy = await openProxy({ host: '127.0.0.1', port: Number(new URL(visits.shop.origin).port) })
  })
  afterEach(async () => {
    await proxy.set({ kind: 'none' })
    await visits.leave()
  })
  afterAll(async () => {
    await proxy?.[Symbol.asyncDispose]()
    await visits?.[Symbol.asyncDispose]()
  })

  it.each([
    ['the queue', () => 'queue', /Fraud/],
    ['a case', () => `chargebacks/${id}`, /Fraud/],
    ['the audit', () => 'audit', /Nobody has done anything yet/],
  ])('%s: what was read stays, its time turns amber, and it is live again by itself', async (_, path, words) => {
    const at = { ...visits.shop, origin: `http://127.0.0.1:${proxy.port}` }
    const { page } = await visits.open(path(), {}, 'work', at)
    const read = page.locator('main').getByText(words).first()
    await read.waitFor()
    await page.locator('.live.good', { hasText: /^● live \d\d:\d\d:\d\d/ }).waitFor()

    await proxy.set({ kind: 'silent' })
    await page.clock.install()
    await page.clock.fastForward(LONGER_THAN_FRESH_MS)
    const stale = page.locator('.live.warn', { hasText: /^▲ as of \d\d:\d\d:\d\d/ })
    await stale.waitFor()
    const colours = "[...['.live', '.top-bar']].map((one) => getComputedStyle(document.querySelector(one)).color)"
    const [amber, text] = (await page.evaluate(colours)) as string[]
    expect(amber).not.toBe(text)
    expect(await read.isVisible()).toBe(true)
    await checkAccessibility(page, 'a stale page')

    await proxy.set({ kind: 'none' })
    await page.locator('.live.good', { hasText: /^● live/ }).waitFor()
    await stale.waitFor({ state: 'detached' })
  })

  it('a case: nothing can be done once a request got no response, until the API is back', async () => {
    const at = { ...visits.shop, origin: `http://127.0.0.1:${proxy.port}` }
    const { page } = await visits.open(`chargebacks/${id}`, {}, 'work', at)
    await page.clock.install()
    await page.reload()
    const accept = page.getByRole('button', { name: 'Accept…' })
    await accept.and(page.locator('[aria-disabled="false"]')).waitFor()
    await proxy.set({ kind: 'silent' })
    await page.clock.fastForward(LONGER_THAN_A_RESPONSE_MS)
    await accept.and(page.locator('[aria-disabled="true"]')).waitFor()
    await page.getByText('What you see may be old').waitFor()
    await proxy.set({ kind: 'none' })
    await accept.and(page.locator('[aria-disabled="false"]')).waitFor()
  })
})
