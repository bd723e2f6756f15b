import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { openScene, type Scene, signIn } from '../scene.ts'
import { HOSTILE } from './hostile.ts'

type Opener = Pick<Browser, 'newContext'>

/** A scene that notices what is executed, and whatever opens. */
export interface Watched extends Scene {
  /** Messages of dialogs and addresses of windows. */
  opened: string[]
}

/** Signs in at a path of the console, in a page that is watched. `token`: of the person. */
export async function openWatched(browser: Opener, origin: string, path: string, token: string): Promise<Watched> {
  const scene = await openScene(browser, origin)
  const { page, context } = scene
  const opened: string[] = []
  page.on('dialog', (dialog) => {
    opened.push(dialog.message())
    void dialog.dismiss()
  })
  context.on('page', (other) => opened.push(other.url()))
  await context.addInitScript('window.executed = []; window.ran = (n) => window.executed.push(n)')
  await page.goto(`${origin}/console/${path}`)
  await signIn(page, token)
  return { ...scene, opened }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be shown as it is
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Fails when a text of `HOSTILE` was executed, became an element, or can reorder what a person reads. */
export async function expectQuiet(page: Page, where: string): Promise<void> {
  expect(await page.evaluate('window.executed'), where).toEqual([])
  const made =
    'main script, main object, main embed, main base, main meta, main form[action], main img, main style, main link'
  expect(await page.locator(made).count(), where).toBe(0)
  const raw = (await page.evaluate("document.querySelector('main').textContent")) as string
  expect(raw.match(CONTROLS), where).toBeNull()
  // Links of pictures are SVG's, which have no `protocol`.
  const links = (await page.evaluate(
    "[...document.querySelectorAll('main a')].map((link) => new URL(link.getAttribute('href'), location.href).protocol)",
  )) as string[]
  for (const protocol of links) expect(['http:', 'https:', 'blob:'], where).toContain(protocol)
}

/** Text of the page with plain spaces: amounts have others. */
export const bodyText = async (page: Page): Promise<string> =>
  ((await page.locator('body').textContent()) ?? '').replaceAll('\u00a0', ' ')

/** Name of a credential that is hostile itself. */
export const HOSTILE_NAME = HOSTILE[0] ?? ''
