import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { samplePng } from '../../harness/sample-files.ts'
import { installedBrowser } from '../../interface/reference-page.ts'
import { addCase, uploadNamed } from './cases.ts'
import { checkAccessibility, pasted } from './scene.ts'
import { openVisits, type Visits } from './visits.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no exhibit is opened in a browser')

describe.skipIf(!executable)('what a person opens and passes on of a case', () => {
  let visits: Visits
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
  })
  afterEach(() => visits.leave())
  afterAll(() => visits?.[Symbol.asyncDispose]())
  const path = (of: string) => `chargebacks/${of}?tab=evidence`
  const ready = (page: Page) => page.getByRole('heading', { name: /^Evidence v/ }).waitFor()

  it('exhibits open as they were uploaded: a PDF, a picture, and one that is gone says so; readers see none', async () => {
    const { shop } = visits
    const pdf = await uploadNamed(shop, 'letter.pdf')
    const picture = await uploadNamed(shop, 'parcel.png', {}, { purpose: 'evidence_image', content: samplePng() })
    const own = await addCase(
      shop,
      {},
      {
        exhibits: [
          { letter: 'A', fileId: pdf, kind: 'delivery', pages: 1 },
          { letter: 'B', fileId: picture, kind: 'photo', pages: 1 },
          { letter: 'C', fileId: '0198c5a4-6666-7d60-9a55-2f4b1f6f7d10', kind: 'other', pages: 1 },
        ],
      },
    )
    const { page, faults } = await visits.open(path(own))
    const exhibit = (letter: string) => page.locator('.exhibit').filter({ hasText: `Show exhibit ${letter}` })
    await exhibit('A').locator('summary').click()
    await exhibit('A').locator('iframe[title="Exhibit A"][src^="blob:"]').waitFor()
    await exhibit('A').getByRole('link', { name: 'Open the PDF in a new tab' }).waitFor()
    // After the first one is open: while it opens, everything below moves, and a click can miss.
    await exhibit('B').locator('summary').click()
    const shown = exhibit('B').getByRole('img', { name: 'Exhibit B' })
    await shown.waitFor()
    // Decoded, so it is the picture itself.
    await expect.poll(() => shown.evaluate((img: { naturalWidth: number }) => img.naturalWidth)).toBeGreaterThan(0)
    await exhibit('B').getByRole('link', { name: 'Open the picture in a new tab' }).waitFor()
    await checkAccessibility(page, 'exhibits')
    expect(faults).toEqual([])
    await exhibit('C').locator('summary').click()
    await exhibit('C').getByRole('alert').waitFor()
    const reader = await visits.open(path(own), {}, 'read')
    await ready(reader.page)
    expect(await reader.page.locator('.exhibit').count()).toBe(0)
  })

  it('its link is copied, or shown where the browser refuses; the time left has hours', async () => {
    const { page } = await visits.open(path(await addCase(visits.shop)))
    await ready(page)
    await page.getByText(/Due in 3 d 17 h ·/).waitFor()
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByRole('button', { name: 'Link copied' }).waitFor()
    expect(await pasted(page)).toBe(page.url())
    await page.getByRole('heading', { level: 1 }).click()
    await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))`)
    await page.keyboard.press('c')
    await page.getByRole('button', { name: 'Copy link' }).click()
    expect(await page.getByLabel('Link', { exact: true }).inputValue()).toBe(page.url())
  })
})
