import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The most that one step takes on a busy machine. */
const PATIENCE_MS = 30_000

export interface Scene {
  page: Page
  context: BrowserContext
  /** Errors of the page, and requests that left the origin. */
  faults: string[]
}

/** A page whose requests may only go to `origin` and to the browser itself, in a fresh browser profile. */
export async function openScene(
  browser: { newContext(options?: BrowserContextOptions): Promise<BrowserContext> },
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Scene> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  const faults: string[] = []
  await context.route('**/*', (route) => {
    const { origin: to, href, pathname, protocol } = new URL(route.request().url())
    // The browser's own viewer of PDFs.
    if (protocol === 'chrome:' || protocol === 'chrome-extension:') return route.continue()
    if (to === origin && pathname !== '/console/csp') return route.continue()
    faults.push(`a request to ${href}`)
    return route.abort()
  })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  return { page, context, faults }
}

/**
 * Colours and widths in which each screen is checked. They don't depend on each other, so each check combines one of both: a
 * check takes up to ten seconds.
 */
export const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['light', {}],
  ['dark, 320 px', { colorScheme: 'dark', viewport: { width: 320, height: 600 } }],
  ['forced colours, 375 px', { forcedColors: 'active', viewport: { width: 375, height: 700 } }],
]

/** Fails when axe finds anything, or when the page scrolls sideways. */
export async function checkAccessibility(page: Page, where: string): Promise<void> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe)
  const { violations } = (await page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(RULES)} })`)) as {
    violations: { id: string; nodes: { html: string }[] }[]
  }
  expect(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`),
    where,
  ).toEqual([])
  const [content, window] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[]
  expect(content, `${where} scrolls sideways`).toBeLessThanOrEqual(window ?? 0)
}

/** Text of what a locator finds first, with plain spaces: amounts have others. */
export const textOf = async (found: Locator): Promise<string> =>
  ((await found.first().textContent()) ?? '').replaceAll('\u00a0', ' ')

/** What a paste gives: the page itself may not read the clipboard, and a person who pastes needs no permission. */
export async function pasted(page: Page): Promise<string> {
  const search = page.getByRole('searchbox')
  await search.focus()
  await page.keyboard.press('ControlOrMeta+V')
  return search.inputValue()
}

/** Signs in and waits until that is done: a page that is loaded again before is signed out. */
export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByLabel('Token').waitFor({ state: 'detached' })
}
