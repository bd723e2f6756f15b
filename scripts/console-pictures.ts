import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BrowserContextOptions, Page } from 'playwright-core'
import sharp from 'sharp'
import { projectFolder } from '../local/run-script.ts'
import { startTestServers } from '../test/harness/servers.ts'
import { addCase } from '../test/integration/console/cases.ts'
import { demoRows } from '../test/integration/console/demo-rows.ts'
import { signIn } from '../test/integration/console/scene.ts'
import { openShop } from '../test/integration/console/shop.ts'
import { installedBrowser, startBrowser } from '../test/interface/reference-page.ts'

/**
 * `npm run console-pictures`: writes docs/console-queue.png and docs/console-case.png, a demo shop at a fixed time. `--look`
 * writes every screen and some dialogs in light, dark, 375 px, 200 % zoom and on paper to .recoup/console/ instead. Needs an installed Chromium or Chrome.
 */
const { values } = parseArgs({ options: { look: { type: 'boolean' } } })
const NOW = Date.parse('2026-11-24T09:40:00Z')
/** Maximum bytes, because README.md shows it. */
const MOST = 300_000
const FOLDER = join(projectFolder, '.recoup', 'console')
const LOOKS: [string, BrowserContextOptions][] = [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['375', { viewport: { width: 375, height: 800 } }],
  // Half the width at twice the size: what a person sees at 200 %.
  ['zoom', { viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 }],
  ['print', {}],
]

const executable = installedBrowser()
if (!executable) throw new Error('No Chromium or Chrome is installed.')
await using servers = await startTestServers()
Object.assign(process.env, servers.env)
await using shop = await openShop({}, new Date(NOW))
const ids = await shop.add(demoRows(NOW, { open: 26, decided: 240 }))
// Not in the pictures of README.md and the docs: it would be a row more.
const built = values.look ? await addCase(shop) : ''
const browser = await startBrowser(executable)
const SCREENS: Record<string, string> = {
  queue: 'queue?pspStatus=needs_response',
  case: `chargebacks/${ids[6]}`,
  overview: 'overview',
  evidence: `chargebacks/${built}?tab=evidence`,
  decided: 'queue?pspStatus=won,lost,split',
  empty: 'queue?psp=klarna',
  integrations: 'integrations',
  integration: `integrations/${shop.at.integrationId}`,
  choose: 'integrations?connect=choose',
  connect: 'integrations?connect=adyen',
  webhooks: 'webhooks',
  webhook: `webhooks/${values.look ? await addEndpoint() : ''}`,
  'new-webhook': 'webhooks?new=1',
  rules: 'rules',
  automatic: 'rules?tab=automatic',
  playbooks: 'rules?tab=playbooks',
  audit: 'audit',
  alerts: 'alerts',
}
const looks = values.look ? LOOKS : LOOKS.slice(0, 1)
mkdirSync(FOLDER, { recursive: true })
for (const [look, options] of looks) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, timezoneId: 'UTC', ...options })
  const page = await context.newPage()
  await page.clock.setFixedTime(NOW)
  await page.goto(`${shop.origin}/console`)
  if (look === 'print') await page.emulateMedia({ media: 'print' })
  if (values.look) writeFileSync(join(FOLDER, `sign-in-${look}.png`), await page.screenshot())
  await signIn(page, (await shop.issue(values.look ? 'manage' : 'work', 'Jana')).token)
  await page.locator('.rail').waitFor({ state: 'attached' })
  for (const [name, path] of Object.entries(SCREENS).slice(0, values.look ? undefined : 2)) {
    await page.goto(`${shop.origin}/console/${path}`)
    await page.locator('a.open, .panel:visible, .empty, .form, tbody tr:visible').first().waitFor({ state: 'attached' })
    await page.waitForLoadState('load')
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    const taken = await page.screenshot({ fullPage: values.look === true })
    if (values.look) writeFileSync(join(FOLDER, `${name}-${look}.png`), taken)
    else await keep(`console-${name}.png`, taken)
  }
  if (values.look && look !== 'print') await takeDialogs(page, look)
  await context.close()
}
await browser.close()

/** The questions before acts that can't be taken back. */
async function takeDialogs(page: Page, look: string): Promise<void> {
  await page.goto(`${shop.origin}/console/chargebacks/${built}?tab=evidence`)
  for (const name of ['Accept…', 'Submit…']) {
    await page.getByRole('button', { name, exact: true }).first().click()
    await page.getByRole('dialog').waitFor()
    writeFileSync(join(FOLDER, `dialog-${name.slice(0, -1).toLowerCase()}-${look}.png`), await page.screenshot())
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
}

/** An endpoint with a test, and something for the audit. */
async function addEndpoint(): Promise<string> {
  const body = { url: 'http://127.0.0.1:59999/hooks', events: ['chargeback.*'], description: 'Order system' }
  const { id } = (await shop.stage.call('POST', '/v1/webhook-endpoints', { body })).body
  await shop.stage.call('POST', `/v1/webhook-endpoints/${id}/test`)
  await shop.stage.call('POST', `/v1/integrations/${shop.at.integrationId}/pause`)
  return id
}

async function keep(name: string, taken: Buffer): Promise<void> {
  const file = join(projectFolder, 'docs', name)
  await sharp(taken).png({ palette: true, colours: 64 }).toFile(file)
  const { size } = statSync(file)
  if (size > MOST) throw new Error(`${file} has ${size} bytes, ${MOST} is the ceiling`)
  console.log(`docs/${name} written, ${size} bytes`)
}
