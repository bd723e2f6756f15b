import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

const LOCAL = new Set(['blob:', 'chrome:', 'chrome-extension:', 'data:'])

/** The most that one step takes on a busy machine. */
const PATIENCE_MS = 30_000

export interface Scene {
  page: Page
  context: BrowserContext
  /** Errors and warnings of its pages, and requests that left the origin, except those that `expects` named. */
  faults: string[]
  /** Names faults that the test provokes from now on. */
  expects(fault: RegExp): void
}

/**
 * A page in a fresh browser profile. A request that goes elsewhere than to `origin` or the browser itself is a fault. The test
 * that opens it fails if faults are left at its end.
 */
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
  const expected: RegExp[] = []
  const note = (fault: string) => {
    if (!expected.some((one) => one.test(fault))) faults.push(fault)
  }
  // After all `afterEach`: what closing the page brings counts, too.
  onTestFinished(() => expect(faults, 'errors of a page').toEqual([]))
  // Not by a route: one that sees every request has Chromium read all files again for each page.
  context.on('request', (request) => {
    const { origin: to, href, protocol } = new URL(request.url())
    // Without network, or the browser's own viewer of PDFs.
    if (!LOCAL.has(protocol) && to !== origin) note(`a request to ${href}`)
  })
  // With what the content security policy forbids: the browser's reports of it are no requests of the page.
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) note(message.text())
  })
  context.on('weberror', (error) => note(error.error().message))
  return { page: await context.newPage(), context, faults, expects: (fault) => expected.push(fault) }
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

/** As `checkAccessibility`, in light and in dark. */
export async function checkInBoth(page: Page, where: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await checkAccessibility(page, `${where}, ${colorScheme}`)
  }
}

/** Fails when the page scrolls sideways. */
export async function checkWidth(page: Page, where: string): Promise<void> {
  const [content, window] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[]
  expect(content, `${where} scrolls sideways`).toBeLessThanOrEqual(window ?? 0)
}

/** Buttons, fields and panels without a border. Not boxes to tick, which the browser draws, nor buttons that look like words. */
const WITHOUT_BORDER = `[...document.querySelectorAll('button, .button, input, select, textarea, .panel, dialog')]
  .filter((one) => {
    const { borderTopWidth, borderTopStyle } = getComputedStyle(one)
    return one.checkVisibility() && !one.matches('[type="checkbox"], .plain') &&
      (borderTopStyle === 'none' || parseFloat(borderTopWidth) === 0)
  })
  .map((one) => one.outerHTML.slice(0, 120))`

/** Fails when a button, a field or a panel has no border in forced colours, which leave nothing else of it. */
export async function checkForcedBorders(page: Page, where: string): Promise<void> {
  await page.emulateMedia({ forcedColors: 'active' })
  expect(await page.evaluate(WITHOUT_BORDER), `${where} in forced colours`).toEqual([])
  await page.emulateMedia({ forcedColors: 'none' })
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
/** Elements that cut off their own text. Those of a pixel are for people who do not see the page. */
const CUT_OFF = `[...document.querySelectorAll('main *, .top-bar *')]
  .filter((one) => {
    const { overflowX, overflowY } = getComputedStyle(one)
    const isCut = (overflow, full, shown) => ['hidden', 'clip'].includes(overflow) && full > shown + 1
    return one.checkVisibility() && one.clientWidth > 1 && !one.closest('[aria-hidden="true"], select, input') &&
      (isCut(overflowX, one.scrollWidth, one.clientWidth) || isCut(overflowY, one.scrollHeight, one.clientHeight))
  })
  .map((one) => one.outerHTML.slice(0, 120))`

/** Sets the text spacing of WCAG 1.4.12 and leaves it set. Fails if the page then scrolls sideways or cuts text off. */
export async function checkTextSpacing(page: Page, where: string): Promise<void> {
  await page.evaluate(SPACING)
  await checkWidth(page, `${where} with wider text`)
  expect(await page.evaluate(CUT_OFF), `${where} with wider text`).toEqual([])
}

/** Collects in `window.heard` what a screen reader would read out. An open modal dialog hides everything outside it. */
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

/** Text of what describes a field to people who do not see it, such as what is wrong with it. */
export const descriptionOf = (field: Locator): Promise<string> =>
  field.first().evaluate((one) => {
    const { ariaDescribedByElements: all } = one as unknown as {
      ariaDescribedByElements: { textContent: string }[] | null
    }
    return (all ?? []).map(({ textContent }) => textContent).join(' ')
  })

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
