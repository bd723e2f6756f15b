import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const LOCAL = new Set(['blob:', 'chrome:', 'chrome-extension:', 'data:'])

/** The most that one step takes on a busy machine. */
const PATIENCE_MS = 30_000

export interface Scene {
  page: Page
  context: BrowserContext
  /** Errors of the page, and requests that left the origin. */
  faults: string[]
}

/** A page in a fresh browser profile. A request that goes elsewhere than to `origin` or the browser itself is a fault. */
export async function openScene(
  browser: { newContext(options?: BrowserContextOptions): Promise<BrowserContext> },
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Scene> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  context.setDefaultTimeout(PATIENCE_MS)
  // A browser with windows grants it by itself to a page in which a person clicks.
  await context.grantPermissions(['clipboard-write'])
  const faults: string[] = []
  // Not by a route: one that sees every request has Chromium read all files again for each page.
  context.on('request', (request) => {
    const { origin: to, href, pathname, protocol } = new URL(request.url())
    // Without network, or the browser's own viewer of PDFs.
    if (LOCAL.has(protocol) || (to === origin && pathname !== '/console/csp')) return
    faults.push(`a request to ${href}`)
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
  await checkWidth(page, where)
}

async function checkWidth(page: Page, where: string): Promise<void> {
  const [content, window] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[]
  expect(content, `${where} scrolls sideways`).toBeLessThanOrEqual(window ?? 0)
}

/** The spacing of WCAG 1.4.12, as a person's own style sheet sets it. */
const SPACING = `
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(\`
    * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important }
    p { margin-bottom: 2em !important }
  \`)
  document.adoptedStyleSheets = [sheet]
`
/** Elements that cut off their own text. */
const CUT_OFF = `[...document.querySelectorAll('main *, .top-bar *')]
  .filter((one) => {
    const { overflowX, overflowY } = getComputedStyle(one)
    const isCut = (overflow, full, shown) => ['hidden', 'clip'].includes(overflow) && full > shown + 1
    return one.checkVisibility() && !one.closest('.visually-hidden, [aria-hidden="true"], select, input') &&
      (isCut(overflowX, one.scrollWidth, one.clientWidth) || isCut(overflowY, one.scrollHeight, one.clientHeight))
  })
  .map((one) => one.outerHTML.slice(0, 120))`

/** Sets the text spacing of WCAG 1.4.12 and leaves it set. Fails if the page then scrolls sideways or cuts text off. */
export async function checkTextSpacing(page: Page, where: string): Promise<void> {
  await page.evaluate(SPACING)
  await checkWidth(page, `${where} with wider text`)
  expect(await page.evaluate(CUT_OFF), `${where} with wider text`).toEqual([])
}

/** Keeps in `window.heard` what screen readers read out: nothing that changes outside an open modal dialog. */
export const LISTEN = `
  window.heard = []
  new MutationObserver((changes) => {
    for (const { target } of changes) {
      const region = target.closest?.('[aria-live], [role="status"]')
      const isInert = document.querySelector('dialog[open]') && !region?.closest('dialog[open]')
      if (region?.textContent && !isInert) window.heard.push(region.textContent)
    }
  }).observe(document, { childList: true, subtree: true })
`

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
