import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { document, operations } from '../../../interface/document.ts'
import { authorize, installedBrowser, startBrowser, tryOut, watch } from '../../../interface/reference-page.ts'
import { addChargeback, addIntegration } from '../chargebacks/chargeback-rows.ts'
import { createStage, type Stage } from '../stage.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, the reference page is not checked')

describe.skipIf(!executable)('the reference page in a real browser', () => {
  let stage: Stage
  let server: Server
  let browser: Browser
  let origin: string
  let chargebackId: string
  beforeAll(async () => {
    stage = await createStage()
    const integrationId = await addIntegration(stage.db, stage.ring, stage.merchantUuid)
    chargebackId = await addChargeback(stage.db, { merchantUuid: stage.merchantUuid, integrationId })
    server = serve({ fetch: stage.app.fetch, port: 0, hostname: '127.0.0.1', createServer }) as Server
    await new Promise((resolve) => server.once('listening', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    browser = await startBrowser(executable ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await new Promise((resolve) => server?.close(resolve))
    await stage[Symbol.asyncDispose]()
  })

  it('shows every operation, loads nothing from another origin, and "try it out" works with the token', async () => {
    const page = await browser.newPage()
    const watched = watch(page)
    await page.goto(`${origin}/docs`)
    await page.locator('.opblock').first().waitFor()
    expect(await page.locator('.opblock').count()).toBe(operations.length + Object.keys(document.webhooks).length)

    const refused = await tryOut(page, 'Chargebacks', 'readChargeback', { id: chargebackId })
    expect(refused).toMatchObject({ status: 401, body: expect.stringContaining('Missing token header') })
    watched.complaints.length = 0

    // Like the token that npm start prints: of the account, which has one merchant.
    const { token } = await stage.issue({ accountId: stage.accountId, scope: 'account' })
    await authorize(page, token)
    const listed = await tryOut(page, 'Chargebacks', 'listChargebacks', { limit: '10' })
    expect(listed.status).toBe(200)
    expect(JSON.parse(listed.body)).toMatchObject({ status: 200, data: [{ id: chargebackId }] })

    const accepted = await tryOut(page, 'Acceptance', 'acceptChargeback', { id: chargebackId })
    expect(accepted.status).toBe(200)
    expect(JSON.parse(accepted.body)).toMatchObject({ id: chargebackId })

    expect(watched.complaints).toEqual([])
    expect([...watched.origins]).toEqual([origin])
    await page.close()
  })
})
