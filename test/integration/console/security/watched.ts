import type { Browser, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { openScene, type Scene, signIn } from '../scene.ts'
import { HOSTILE } from './hostile.ts'

type Opener = Pick<Browser, 'newContext'>

/**
 * Signs in at a path of the console, in a page that notices what is executed. The test fails if a dialog of the browser or a
 * window opens. `token`: of the person.
 */
export async function openWatched(browser: Opener, origin: string, path: string, token: string): Promise<Scene> {
  const scene = await openScene(browser, origin)
  const { page, context } = scene
  const opened: string[] = []
  page.on('dialog', (dialog) => {
    opened.push(dialog.message())
    void dialog.dismiss()
  })
  context.on('page', (other) => opened.push(other.url()))
  await context.addInitScript('window.executed = []; window.ran = (n) => window.executed.push(n)')
  onTestFinished(() => expect(opened, 'dialogs and windows').toEqual([]))
  await page.goto(`${origin}/console/${path}`)
  await signIn(page, token)
  return scene
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be shown as it is
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Fails when a text of `HOSTILE` was executed, became an element, or can reorder what a person reads. */
export async function expectQuiet(page: Page, where: string): Promise<void> {
  expect(await page.evaluate('window.executed'), where).toEqual([])
  const made = ['script', 'object', 'embed', 'base', 'meta', 'form[action]', 'img', 'style', 'link']
  expect(await page.locator(made.map((one) => `body ${one}`).join()).count(), where).toBe(0)
  const raw = (await page.evaluate('document.body.textContent')) as string
  expect(raw.match(CONTROLS), where).toBeNull()
  // Links of pictures are SVG's, which have no `protocol`.
  const links = (await page.evaluate(
    "[...document.querySelectorAll('body a')].map((link) => new URL(link.getAttribute('href'), location.href).protocol)",
  )) as string[]
  for (const protocol of links) expect(['http:', 'https:', 'blob:'], where).toContain(protocol)
}

/** Opens the dialog of each of these buttons, one after the other, and closes it. */
export async function openDialogs(page: Page, buttons: readonly string[]): Promise<void> {
  for (const name of buttons) {
    await page.getByRole('button', { name, exact: true }).click()
    await page.locator('dialog[open]').waitFor()
    await expectQuiet(page, name)
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
  }
}

/** Text of the page with plain spaces: amounts have others. */
export const bodyText = async (page: Page): Promise<string> =>
  ((await page.locator('body').textContent()) ?? '').replaceAll('\u00a0', ' ')

/** Name of a credential that is hostile itself. */
export const HOSTILE_NAME = HOSTILE[0] ?? ''
