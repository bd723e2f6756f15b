import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { visible } from '../../../../console/parts/visible.ts'
import { endCommand } from '../../../../db/commands/command-ends.ts'
import { loadCommand } from '../../../../db/commands/commands.ts'
import { installedBrowser } from '../../../interface/reference-page.ts'
import { addCase } from '../cases.ts'
import { openVisits, type Visits } from '../visits.ts'
import { HOSTILE, HOSTILE_TOGETHER } from './hostile.ts'
import { expectQuiet, HOSTILE_NAME, openWatched } from './watched.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no refusal of a PSP is shown in a browser')

/** What a PSP says when it refuses. */
describe.skipIf(!executable)('hostile texts in refusals', () => {
  let visits: Visits
  beforeAll(async () => {
    visits = await openVisits(executable ?? '', [])
  })
  afterAll(() => visits?.[Symbol.asyncDispose]())

  async function watched(path: string) {
    const { shop, browser } = visits
    const { token } = await shop.issue('work', HOSTILE_NAME)
    return openWatched(browser, shop.origin, path, token)
  }

  /** Requests it by the API, and ends it as the worker does when the PSP refuses. */
  async function refused(id: string, path: 'accept' | 'evidence/submit', error: string) {
    const { call, db } = visits.shop.stage
    const body = path === 'accept' ? {} : { fileId: await draftFile(id) }
    const { status, text } = await call('POST', `/v1/chargebacks/${id}/${path}`, { body })
    expect(status, text).toBeLessThan(300)
    const { command_id } = await db
      .selectFrom('command')
      .select('command_id')
      .where('chargeback_id', '=', id)
      .executeTakeFirstOrThrow()
    const command = await loadCommand(db, command_id)
    if (!command) throw new Error('there is no command')
    expect(await endCommand(db, command, { status: 'failed', code: 'rejected_final', error }, 'stripe')).toBe(true)
  }

  async function draftFile(id: string): Promise<string> {
    const { body } = await visits.shop.stage.call('GET', `/v1/chargebacks/${id}/evidence/draft`)
    return body.fileId
  }

  it.each([
    ['acceptance', 'accept'],
    ['evidence submission', 'evidence/submit'],
  ] as const)(
    'of an %s are shown as the PSP wrote them, and nothing of them runs',
    async (kind, path) => {
      const { shop } = visits
      const { page, context } = await watched('overview')
      for (const texts of HOSTILE_TOGETHER) {
        const text = texts.join(' ')
        const id = await addCase(shop)
        await refused(id, path, text)
        await page.goto(`${shop.origin}/console/chargebacks/${id}`)
        const notice = page.locator('section.notice.bad')
        await notice.getByRole('heading', { name: `The ${kind} failed` }).waitFor()
        expect(await notice.textContent()).toContain(visible(text))
        await page.locator('.timeline').waitFor()
        await expectQuiet(page, text)
      }
      await context.close()
    },
    300_000,
  )

  /** The dry run answers with this text in every field that has one. */
  const answered = (page: Page, text: () => string) =>
    page.route('**/evidence/plan', async (route) => {
      const fields = {
        ...{ submittable: false, code: 'refused', reason: text(), texts: [text(), 'reason'] },
        steps: ['upload', 'stage', 'submit'].map((step) => ({ do: step, field: text() })),
        dropped: [{ what: text(), why: text() }],
        shortened: [{ field: text(), from: 20_000, to: 4_000 }],
        converted: { from: text(), to: text() },
      }
      await route.fulfill({ json: { status: 200, message: 'Plan', data: fields } })
    })

  it('of a dry run, in each of its fields', async () => {
    const id = await addCase(visits.shop)
    const { page, context } = await watched(`chargebacks/${id}?tab=evidence`)
    let now = ''
    await answered(page, () => now)
    for (const text of HOSTILE) {
      now = text
      await page.getByRole('button', { name: 'Dry run', exact: true }).click()
      const notice = page.locator('.notice.bad', { hasText: 'Dry run: it can’t be submitted' })
      await expect.poll(() => notice.textContent()).toContain(visible(text))
      await expectQuiet(page, text)
    }
    await page.getByRole('button', { name: 'Submit…', exact: true }).click()
    await page.locator('dialog[open] .notice.bad').waitFor()
    await expectQuiet(page, 'in the dialog')
    await context.close()
  }, 120_000)
})
