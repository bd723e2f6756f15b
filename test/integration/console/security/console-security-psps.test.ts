import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Subject } from '../../../../adapters/conformance/subject.ts'
import { SUBJECTS } from '../../../../adapters/conformance/subjects.ts'
import { visible } from '../../../../console/parts/visible.ts'
import { fileCaption } from '../../../../domain/evidence/file-metadata.ts'
import type { Json, JsonObject } from '../../../../simulators/engine/contract.ts'
import { type InProcess, openInProcess } from '../../../harness/in-process.ts'
import { installedBrowser, startBrowser } from '../../../interface/reference-page.ts'
import { parseCsv } from '../../api/chargebacks/csv.ts'
import { uploadNamed } from '../cases.ts'
import { HOSTILE } from './hostile.ts'
import { paymentsFilledWith } from './hostile-payments.ts'
import { bodyText, expectQuiet, HOSTILE_NAME, openWatched } from './watched.ts'

const executable = installedBrowser()
if (!executable) console.warn('SKIPPED: no Chromium or Chrome is installed, no text of a PSP is shown in a browser')

const ROOMS = ['overview', 'alerts', 'integrations', 'webhooks', 'rules', 'audit']

const DELIVERED = {
  ...{ shippingCarrier: 'DHL', shippingTrackingNumber: '00340434161094042557' },
  deliveryDate: new Date(Date.now() - 20 * 86_400_000).toISOString().slice(0, 10),
}
/** Not Adyen: it takes no texts as evidence, and what it reports about a payment is not in this package. */
const WITHOUT_WORDS = 'adyen'
/** What is known of these cases proves no delivery, so their packages have no place for its file. */
const WITHOUT_FILE = ['adyen', 'braintree']

/** Differs from the text itself, which the sentences of the package contain as well. */
const captionOf = (text: string | null) => `Delivered: ${text}`

const first = (list: Json | undefined): JsonObject => ((list as JsonObject[] | undefined)?.[0] ?? {}) as JsonObject

/** Writes a text into each field of a PSP's dispute that a person or the PSP fills freely. In place, by source. */
const WRITE: Readonly<Record<string, (dispute: JsonObject, text: string) => void>> = {
  stripe(dispute, text) {
    const evidence = dispute.evidence as JsonObject
    dispute.reason = text
    dispute.metadata = { order: text, [text.slice(0, 40)]: text }
    dispute.evidence = {
      ...evidence,
      ...{ customer_name: text, customer_email_address: text, customer_purchase_ip: text, billing_address: text },
      ...{ product_description: text, shipping_address: text, shipping_carrier: text, refund_policy_disclosure: text },
    }
    dispute.payment_method_details = { type: text, card: { brand: text, network: text, network_reason_code: text } }
  },
  paypal(dispute, text) {
    const item = { item_id: text, item_name: text, item_description: text, notes: text, reason: text }
    dispute.disputed_transactions = [
      {
        ...first(dispute.disputed_transactions),
        ...{ invoice_number: text, custom: text, buyer: { name: text, email: text }, items: [item] },
        seller: { name: text, email: text },
      },
    ]
    dispute.reason = text
    dispute.external_reason_code = text
    dispute.messages = [{ posted_by: 'BUYER', content: text }]
    dispute.communication_details = { email: text, note: text }
    dispute.evidences = [{ evidence_type: 'OTHER', notes: text, source: 'SUBMITTED_BY_BUYER' }]
  },
  braintree(dispute, text) {
    dispute.reasonDescription = text
    dispute.processorComments = text
    dispute.caseNumber = text
    dispute.referenceNumber = text
    dispute.paypalMessages = [{ message: text, sender: text, sentAt: '2026-01-02T03:04:05Z' }]
    dispute.transaction = { ...(dispute.transaction as JsonObject), orderId: text, purchaseOrderNumber: text }
  },
  adyen(dispute, text) {
    dispute.items = (dispute.items as JsonObject[]).map((item) => ({
      ...item,
      ...{ reason: text, merchantReference: text },
      additionalData: {
        ...(item.additionalData as JsonObject),
        ...{ shopperReference: text, shopperEmail: text, modificationMerchantReferences: text },
        ...{ 'issuerComments.type': text, cardHolderName: text, paymentMethodVariant: text },
      },
    }))
  },
  recoup_sandbox(dispute, text) {
    dispute.reason = text
    dispute.reasonCode = text
    dispute.externalTransactionIdentifier = text
    dispute.merchantReferenceName = text
  },
}

let browser: Browser
beforeAll(async () => {
  if (executable) browser = (await startBrowser(executable)) as Browser
})
afterAll(() => browser?.close())

/** Creates a dispute for each hostile text at the PSP, and reads them through its adapter. Notes each text by its dispute. */
async function bring(world: InProcess, { definition: { source } }: Subject, texts: Map<string, string>) {
  const order = { count: HOSTILE.length, status: 'needs_response', stage: 'chargeback' }
  const { disputes } = await world.control('POST', '/disputes', order)
  for (const [index, { ref }] of (disputes as { ref: string }[]).entries()) {
    const text = HOSTILE[index] ?? ''
    const record = world.engine.find(ref)
    if (!record) throw new Error(`no dispute ${ref}`)
    world.engine.change(record, (dispute) => WRITE[source]?.(dispute, text))
    // Adyen sends blanks around texts, which its adapter removes.
    texts.set(ref, source === 'adyen' ? text.trim() : text)
  }
  const integrationId = await world.connect()
  // Adyen has no list of disputes: it reports them by notifications.
  if (source === 'adyen') {
    await world.control('POST', '/subscriptions', { url: world.notificationUrl(integrationId), backlog: true })
    await world.engine.subscriptions.idle()
  }
  await world.run(world.activities.ingestPages, { integrationId } as never)
  let done = false
  while (!done) ({ done } = await world.run(world.activities.enrichChargebacks, { integrationId }))
}

describe.skipIf(!executable).each(SUBJECTS.map((subject) => [subject.definition.source, subject] as const))(
  'hostile texts of %s',
  (source, subject) => {
    let world: InProcess
    const texts = new Map<string, string>()
    beforeAll(async () => {
      world = await openInProcess(subject, {
        api: { unauthenticatedLimitPerMinute: 1_000_000 },
        activities: { adapterFor: paymentsFilledWith((reference) => texts.get(reference)) },
      })
      await bring(world, subject, texts)
    })
    afterAll(() => world?.[Symbol.asyncDispose]())

    const stored = () =>
      world.stage.db
        .selectFrom('chargeback')
        .select(['id', 'chargeback_id', 'reason'])
        .orderBy('chargeback_id')
        .execute()

    /** Each PSP shows another fifth of the cases: their texts are in the queue of each. */
    const ours = async () =>
      (await stored()).filter((_, index) => index % SUBJECTS.length === SUBJECTS.indexOf(subject))

    it('each arrives as the reason of its chargeback', async () => {
      const arrived = new Map((await stored()).map(({ chargeback_id, reason }) => [chargeback_id, reason]))
      expect(arrived).toEqual(texts)
    })

    /** Builds evidence with sentences about what the PSP reports of the payment, and a file of a client with this caption. */
    async function build(id: string, text: string) {
      const change = (path: string, body: object) => world.stage.call('PATCH', `/v1/chargebacks/${id}${path}`, { body })
      expect((await change('/should-fight', { shouldFight: true })).status).toBe(201)
      expect((await change('', DELIVERED)).status).toBe(201)
      await uploadNamed(world, 'delivery.pdf', {
        chargebackId: id,
        kind: 'delivery',
        caption: captionOf(text),
        [text]: text,
      })
      await world.run(world.activities.buildPackage, { chargebackId: id })
    }

    it('is shown as the PSP wrote it, and nothing of it runs', async () => {
      const { accountId, merchantUuid } = world.stage
      const { token } = await world.stage.issue({
        ...{ accountId, scope: 'merchant', merchantUuid, role: 'manage', name: HOSTILE_NAME },
      })
      const { page, context } = await openWatched(
        browser,
        world.origin,
        `queue?pspStatus=needs_response&psp=${source}`,
        token,
      )
      await page.locator('a.open').first().waitFor()
      const queue = await bodyText(page)
      for (const text of texts.values()) expect(queue).toContain(visible(text))
      await expectQuiet(page, 'queue')
      for (const { id, reason } of await ours()) {
        await build(id, reason ?? '')
        await page.goto(`${world.origin}/console/chargebacks/${id}`)
        await page.getByRole('heading', { name: 'Timeline' }).waitFor()
        expect(await bodyText(page)).toContain(visible(reason ?? ''))
        await page.emulateMedia({ media: 'print' })
        await expectQuiet(page, `${reason} on paper`)
        await page.emulateMedia({ media: 'screen' })
        await page.getByRole('button', { name: 'Accept…' }).click()
        await page.locator('dialog[open]').waitFor()
        await expectQuiet(page, `${reason} in a dialog`)
        await page.keyboard.press('Escape')
        await page.keyboard.press('e')
        await page.getByRole('heading', { name: 'What it says' }).waitFor()
        const evidence = await page.locator('section[aria-labelledby="evidence"]').textContent()
        const caption = fileCaption(JSON.stringify({ caption: captionOf(reason) }))
        if (source !== WITHOUT_WORDS) expect(evidence).toContain(visible(reason ?? ''))
        if (!WITHOUT_FILE.includes(source)) expect(evidence).toContain(visible(caption ?? ''))
        await expectQuiet(page, `evidence of ${reason}`)
        expect(await page.title()).toBe('Chargeback · Recoup')
      }
      for (const room of ROOMS) {
        await page.goto(`${world.origin}/console/${room}`)
        await page.locator('main h1').waitFor()
        await expect.poll(() => page.locator('main [aria-busy="true"]').count()).toBe(0)
        await expectQuiet(page, room)
      }
      await context.close()
    }, 300_000)

    it('no cell of the export is a formula', async () => {
      const { text } = await world.stage.call('GET', '/v1/chargebacks/export', { headers: { accept: 'text/csv' } })
      const [head = [], ...rows] = parseCsv(text)
      expect(rows).toHaveLength(HOSTILE.length)
      for (const cell of rows.flat()) if (!/^[+-]?[\d.]+$/.test(cell)) expect(cell).not.toMatch(/^[=+\-@\t\r]/)
      const reasons = rows.map((row) => row[head.indexOf('reason')])
      const written = [...texts.values()].map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text))
      expect(reasons.toSorted()).toEqual(written.toSorted())
    })
  },
)
