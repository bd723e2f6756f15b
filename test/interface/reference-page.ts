import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'

// The headless shell has no windows to draw: the same pages take it less than half of the processor time.
const NAMES = [
  ...['chromium-headless-shell', 'chrome-headless-shell'],
  ...['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome', 'msedge'],
]
const ON_A_MAC = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)

/** Path of an installed Chromium-based browser; null if there is none. */
export function installedBrowser(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const places = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...ON_A_MAC]
  return places.find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export function startBrowser(executablePath: string): Promise<Browser> {
  // Chromium refuses its sandbox to root, which tests in containers run as.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  // No page of a test reaches another computer.
  args.push('--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost')
  return chromium.launch({ executablePath, args, headless: true })
}

/** Requests and errors of the page. */
export interface Watched {
  /** Origins of all requests. */
  origins: Set<string>
  /** Errors of scripts, refused loads, failed requests. */
  complaints: string[]
}

export function watch(page: Page): Watched {
  const watched: Watched = { origins: new Set(), complaints: [] }
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (protocol !== 'data:') watched.origins.add(origin)
  })
  page.on('console', (message) => {
    if (message.type() === 'error') watched.complaints.push(message.text())
  })
  page.on('pageerror', (error) => watched.complaints.push(error.message))
  page.on('requestfailed', (request) => watched.complaints.push(`${request.url()} failed`))
  return watched
}

/** Enters a token as a reader does. */
export async function authorize(page: Page, token: string): Promise<void> {
  await page.locator('button.btn.authorize').click()
  await page.locator('.auth-container input').fill(token)
  await page.locator('.auth-btn-wrapper button.authorize').click()
  await page.locator('.auth-btn-wrapper button.btn-done').click()
}

/** "Try it out" of an operation, by its operationId. @returns what the page shows as the response */
export async function tryOut(
  page: Page,
  tag: string,
  operationId: string,
  parameters: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  const operation = page.locator(`[id="operations-${tag.replaceAll(' ', '_')}-${operationId}"]`)
  await operation.locator('.opblock-summary-control').click()
  for (const [name, value] of Object.entries(parameters))
    await operation.locator(`tr[data-param-name="${name}"] input`).fill(value)
  await operation.locator('button.execute').click()
  const response = operation.locator('.live-responses-table .response').first()
  const status = Number(await response.locator('.response-col_status').first().textContent())
  return { status, body: (await response.locator('.response-col_description code').first().textContent()) ?? '' }
}
