import { gzipSync } from 'node:zlib'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { signIn } from '../../test/integration/console/scene.ts'

/** What one visit of the queue took, in a fresh profile. */
export interface Visit {
  /** Code that is loaded before the first rows are shown, compressed. */
  scriptKb: number
  styleKb: number
  /** Requests for chargebacks before the first rows are shown. */
  listRequests: number
  /** Requests of any kind until then. */
  requests: number
  /** From the navigation to the paint with the first rows. */
  firstRowsMs: number
}

/** What the page's thread spent, ms of processor time. */
export interface Work {
  /** Scripts, until 100 rows are shown. */
  loadMs: number
  /** Scripts, for one key that moves the selection. */
  keyMs: number
  /** Scripts, from a change of a filter until its first 50 rows are shown. None of them were read before. */
  filterMs: number
}

const ROW = 'a.open'
/** The page's policy forbids what waits by evaluating text, so the page itself tells the time. */
const FIRST_ROWS = `window.firstRows = new Promise((resolve) => {
  new MutationObserver((_changes, observer) => {
    if (!document.querySelector(${JSON.stringify(ROW)})) return
    observer.disconnect()
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now())))
  }).observe(document, { childList: true, subtree: true })
})`

/** A fresh profile that is signed in; nothing of the console is in its cache. */
async function signedIn(browser: Browser, origin: string, token: string): Promise<{ page: Page; cdp: CDPSession }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const first = await context.newPage()
  await first.goto(`${origin}/console/queue`)
  await signIn(first, token)
  await first.locator(ROW).first().waitFor()
  await first.close()
  const page = await context.newPage()
  const cdp = await context.newCDPSession(page)
  await cdp.send('Network.enable')
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true })
  return { page, cdp }
}

/** Opens the queue on a slowed processor. @param slower how many times; 1: as it is */
export async function visit(browser: Browser, origin: string, token: string, slower: number): Promise<Visit> {
  const { page, cdp } = await signedIn(browser, origin, token)
  try {
    await page.addInitScript(FIRST_ROWS)
    if (slower > 1) await cdp.send('Emulation.setCPUThrottlingRate', { rate: slower })
    const seen: { path: string; body: Promise<Buffer> }[] = []
    page.on('response', (response) => {
      seen.push({ path: new URL(response.url()).pathname, body: response.body().catch(() => Buffer.alloc(0)) })
    })
    await page.goto(`${origin}/console/queue`)
    const firstRowsMs = (await page.evaluate('window.firstRows')) as number
    const before = [...seen]
    const kbOf = async (ending: string) => {
      const bodies = await Promise.all(before.filter(({ path }) => path.endsWith(ending)).map(({ body }) => body))
      return bodies.reduce((sum, body) => sum + gzipSync(body, { level: 9 }).length, 0) / 1_024
    }
    return {
      scriptKb: await kbOf('.js'),
      styleKb: await kbOf('.css'),
      listRequests: before.filter(({ path }) => path === '/console/v1/chargebacks').length,
      requests: before.length,
      firstRowsMs,
    }
  } finally {
    await page.context().close()
  }
}

const ROWS = 100
const KEYS = 20

/** Scrolls until all rows are shown, without Playwright's locators: they run scripts in the page, which would be counted. */
const SCROLLED_TO_ROWS = `new Promise((resolve) => {
  const look = () => {
    if (document.querySelectorAll(${JSON.stringify(ROW)}).length >= ${ROWS}) return resolve()
    scrollBy(0, 2_000)
    requestAnimationFrame(look)
  }
  look()
})`

/** Opens the menu of one filter. Its list has sums, so that the console reads no further rows. */
const FILTERED = 'queue?pspStatus=needs_response'
const MENU = `new Promise((resolve) => {
  const look = () => {
    const menu = [...document.querySelectorAll('.menu')].find((one) => one.textContent.startsWith('Status'))
    if (menu) menu.open = true
    if (menu?.querySelector('input') && document.querySelector(${JSON.stringify(ROW)})) return resolve()
    requestAnimationFrame(look)
  }
  look()
})`
const focusWord = (index: number) => `
  window.former = document.querySelector(${JSON.stringify(ROW)})
  document.querySelectorAll('.menu[open] input')[${index}].focus()`
const OTHER_ROWS = `new Promise((resolve) => {
  const look = () => {
    if (!window.former.isConnected && document.querySelector(${JSON.stringify(ROW)})) return requestAnimationFrame(resolve)
    requestAnimationFrame(look)
  }
  look()
})`
/** Which of the four words is changed in each step: this order meets all 15 choices once. */
const WORDS = [0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0]

/** Thread time: it counts what the page did, whatever else the machine did. */
export async function work(browser: Browser, origin: string, token: string): Promise<Work> {
  const { page, cdp } = await signedIn(browser, origin, token)
  const scriptMs = async () => {
    const { metrics } = await cdp.send('Performance.getMetrics')
    return (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN) * 1_000
  }
  try {
    await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
    await page.goto(`${origin}/console/queue`)
    await cdp.send('Runtime.evaluate', { expression: SCROLLED_TO_ROWS, awaitPromise: true })
    const loadMs = await scriptMs()
    await page.evaluate('window.scrollTo(0, 0)')
    await page.keyboard.press('j')
    const before = await scriptMs()
    for (let n = 0; n < KEYS; n++) await page.keyboard.press(n % 2 === 0 ? 'j' : 'k')
    const keyMs = ((await scriptMs()) - before) / KEYS
    await page.goto(`${origin}/console/${FILTERED}`)
    const evaluate = (expression: string) => cdp.send('Runtime.evaluate', { expression, awaitPromise: true })
    await evaluate(MENU)
    let spent = 0
    for (const word of WORDS) {
      await evaluate(focusWord(word))
      const start = await scriptMs()
      await page.keyboard.press('Space')
      await evaluate(OTHER_ROWS)
      spent += (await scriptMs()) - start
    }
    return { loadMs, keyMs, filterMs: spent / WORDS.length }
  } finally {
    await page.context().close()
  }
}
