import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FIELDS } from '../../../../adapters/sandbox/vocabulary.ts'
import { visible } from '../../../../console/parts/visible.ts'
import { RECORD_DATA_POINTS, type RecordType } from '../../../../domain/raw-data.ts'
import { installedBrowser, startBrowser } from '../../../interface/reference-page.ts'
import { createSandbox, recoupShape, type Sandbox, type Upload } from '../../raw-data/sandbox.ts'
import type { Scene } from '../scene.ts'
import { HOSTILE, HOSTILE_TOGETHER, TEXTS_OF_PAYMENTS } from './hostile.ts'
import { bodyText, expectQuiet, HOSTILE_NAME, openWatched } from './watched.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no posted text is shown in a browser')

const TEXTS = HOSTILE_TOGETHER.map((texts) => texts.join(' '))
/** Fields of a chargeback, and of an alert, that take any text. */
const FREE = [
  ...['chargebackId', 'transactionId', 'arn', 'externalTransactionIdentifier'],
  ...['merchantReferenceName', 'reasonCode', 'reason'],
]
/** Its members are marks of the sandbox, which are read and not shown. */
const MARKS = 'sandbox'
/** For a chargeback that is no alert, it is not read. */
const PROVIDER = 'providerName'

const pick = <T>(list: readonly T[], index: number) => list[index % list.length] as T
const inAll = (names: readonly string[], text: string) => Object.fromEntries(names.map((name) => [name, text]))

describe.skipIf(!executable)('hostile texts that a client posts as raw data', () => {
  let sandbox: Sandbox
  let browser: Browser
  beforeAll(async () => {
    sandbox = await createSandbox({ unauthenticatedLimitPerMinute: 1_000_000 })
    browser = await startBrowser(executable ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await sandbox?.[Symbol.asyncDispose]()
  })

  async function watched(path: string): Promise<Scene> {
    const { accountId, merchantUuid, issue } = sandbox.stage
    const { token } = await issue({ accountId, scope: 'merchant', merchantUuid, role: 'work', name: HOSTILE_NAME })
    return openWatched(browser, sandbox.origin, path, token)
  }
  /** Posts an object, and handles it as a worker does. */
  async function post(rawData: object, upload: Upload = {}) {
    const { status, body } = await sandbox.post(rawData, upload)
    expect(status, JSON.stringify([body, rawData])).toBe(201)
    expect(await sandbox.apply(body.id)).toEqual({ status: 'applied' })
  }

  it('what takes words, dates, numbers or codes refuses them', async () => {
    const fields = FIELDS.filter((name) => ![...FREE, MARKS, PROVIDER].includes(name))
    for (const [index, text] of HOSTILE.entries()) {
      const field = fields[index % fields.length] as string
      expect((await sandbox.post(recoupShape({ [field]: text }))).status, `${field} ${text}`).toBe(400)
      const other = pick(['dataSource', 'dataType', 'requestTimeStamp'], index)
      expect((await sandbox.post(recoupShape(), { [other]: text })).status, `${other} ${text}`).toBe(400)
      expect((await sandbox.post(recoupShape(), { integrationId: text })).status, text).toBe(404)
      const alert = recoupShape({ [PROVIDER]: text, lifecycleStage: 'alert' })
      expect((await sandbox.post(alert, { dataType: 'early_fraud_warnings' })).status, text).toBe(400)
      const unknown = JSON.parse(`{${JSON.stringify(text)}:"x"}`)
      expect((await sandbox.post({ ...recoupShape(), ...unknown })).status, `a field ${text}`).toBe(400)
    }
  })

  it('a chargeback, its payment and each kind of record are shown as they were typed, and nothing of them runs', async () => {
    const { stage } = sandbox
    const types = Object.keys(RECORD_DATA_POINTS) as RecordType[]
    for (const text of TEXTS) {
      const shape = recoupShape({ ...inAll(FREE, text), [PROVIDER]: text, [MARKS]: { note: text, updatedAt: text } })
      await post(shape, { dataSourceVersion: text })
    }
    await sandbox.poll(sandbox.home)
    for (const [index, text] of TEXTS.entries()) {
      // Other texts in each field of each payment: a few cases show all of them.
      const said = TEXTS_OF_PAYMENTS.map((name, at) => [name, pick(TEXTS, index + at)])
      await post({ transactionId: text, ...Object.fromEntries(said) }, { dataType: 'transactions' })
      const record = { id: text, chargebackId: TEXTS[0], reason: text, note: { [text]: [text] } }
      await post(record, { dataType: pick(types, index) })
    }
    const rows = await stage.db.selectFrom('chargeback').select(['id', 'chargeback_id']).execute()
    expect(rows.map(({ chargeback_id }) => chargeback_id).toSorted()).toEqual(TEXTS.toSorted())

    const { page, context } = await watched('queue?pspStatus=needs_response')
    await page.locator('a.open').first().waitFor()
    const queue = await bodyText(page)
    for (const text of TEXTS) expect(queue).toContain(visible(text))
    await expectQuiet(page, 'queue')
    let seen = ''
    for (const text of [TEXTS[0], TEXTS[7], TEXTS[14]] as string[]) {
      await page.goto(`${sandbox.origin}/console/chargebacks/${rows.find((row) => row.chargeback_id === text)?.id}`)
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await page.locator('.points').waitFor()
      const facts = await page.locator('section[aria-labelledby="facts"]').first().textContent()
      // Id at the PSP, transaction and ARN.
      expect(facts?.split(visible(text)).length, text).toBeGreaterThan(3)
      seen += await bodyText(page)
      if (text === TEXTS[0])
        for (const label of ['Refunds', 'Card checks', 'Payment actions', 'Issuer notes'])
          await page.locator('.points th').getByText(label, { exact: true }).waitFor()
      await expectQuiet(page, text)
    }
    // In two fields of payments at least.
    for (const text of TEXTS) expect(seen.split(visible(text)).length, text).toBeGreaterThan(2)
    await context.close()
  }, 120_000)

  it('an early fraud warning and the comments on its outcome', async () => {
    const { stage, read } = sandbox
    for (const text of TEXTS) {
      const { pspStatus: _, ...alert } = recoupShape({ ...inAll(FREE, text), lifecycleStage: 'alert' })
      await post({ ...alert, [PROVIDER]: 'Ethoca' }, { dataType: 'early_fraud_warnings' })
      const ofStripe = {
        ...{ id: `radar ${text}`, object: 'radar.early_fraud_warning', actionable: true, created: 1_790_000_000 },
        ...{ charge: text, fraud_type: text, livemode: false },
      }
      await post(ofStripe, { dataSource: 'stripe', dataType: 'early_fraud_warnings' })
    }
    await sandbox.poll(sandbox.home)
    const pages = [1, 2]
    const alerts = (
      await Promise.all(pages.map((n) => read(`/pre-chargeback-alerts/alerts?limit=25&page=${n}`)))
    ).flat()
    expect(alerts).toHaveLength(2 * TEXTS.length)
    const report = (body: object) => stage.call('POST', '/v1/pre-chargeback-alerts/alerts/outcome', { body })
    for (const [index, { alertId, transactionId: text, providerName = 'Ethoca' }] of alerts.entries()) {
      const body = { alertId, providerName, outcome: 'in_progress', comments: text }
      const { status, text: said } = await report(body)
      expect(status, `${said} ${text}`).toBe(201)
      const field = pick(['providerName', 'outcome', 'refunded'], index)
      expect((await report({ ...body, [field]: text })).status, `${field} ${text}`).toBe(400)
    }
    const { page, context } = await watched('alerts')
    let seen = ''
    for (const n of pages) {
      await page.goto(`${sandbox.origin}/console/alerts?page=${n}`)
      await page.locator('tbody tr').first().waitFor()
      seen += await bodyText(page)
      await expectQuiet(page, `alerts ${n}`)
      await page
        .getByRole('button', { name: /^Report the outcome/ })
        .first()
        .click()
      await page.getByRole('dialog', { name: /What became of the alert/ }).waitFor()
      await expectQuiet(page, 'the outcome of an alert')
      await page.keyboard.press('Escape')
    }
    for (const text of TEXTS) expect(seen.split(visible(text)).length, text).toBeGreaterThan(2)
    await context.close()
  }, 120_000)
})
