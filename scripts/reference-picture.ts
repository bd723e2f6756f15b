import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { projectFolder } from '../local/run-script.ts'
import { STACK_FILE, type StackFile } from '../local/stack-file.ts'
import { authorize, installedBrowser, startBrowser, tryOut } from '../test/interface/reference-page.ts'

/**
 * `npm run reference-picture [-- --data <folder>]`: writes docs/reference.png, the reference page of a running
 * `npm start` with the answer to GET /chargebacks/{id}. Needs an installed Chromium or Chrome.
 */
const { values } = parseArgs({ options: { data: { type: 'string', default: '.recoup' } } })
const FILE = join(projectFolder, 'docs', 'reference.png')
/** Maximum bytes, because docs/interface.md shows it. */
const MOST = 200_000

const executable = installedBrowser()
if (!executable) throw new Error('No Chromium or Chrome is installed.')
const stack = JSON.parse(readFileSync(join(resolve(values.data), STACK_FILE), 'utf8')) as StackFile
const browser = await startBrowser(executable)
const page = await browser.newPage({ viewport: { width: 1000, height: 1000 } })
await page.goto(stack.docsUrl)
await page.locator('.opblock').first().waitFor()
await authorize(page, stack.tokens.account)
const listed = await fetch(`${stack.apiUrl}/chargebacks?status=waiting_for_data`, {
  headers: { authorization: `Bearer ${stack.tokens.account}` },
})
const [{ id }] = ((await listed.json()) as { data: { id: string }[] }).data as [{ id: string }]
const { status } = await tryOut(page, 'Chargebacks', 'readChargeback', { id })
if (status !== 200) throw new Error(`GET /chargebacks/{id} answered ${status}`)
// The page prints the request as a curl command with the token, which must not be in the picture.
await page.locator('.curl-command').evaluateAll((found) => {
  for (const one of found) one.remove()
})
const box = await page.locator('.opblock.is-open').boundingBox()
await page.screenshot({ path: FILE, fullPage: true, clip: { x: 0, y: (box?.y ?? 0) - 120, width: 1000, height: 1000 } })
await browser.close()
const { size } = statSync(FILE)
if (size > MOST) throw new Error(`${FILE} has ${size} bytes, ${MOST} is the ceiling`)
console.log(`docs/reference.png written, ${size} bytes`)
