import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { ApiDeps } from '../../api/context.ts'
import { storeAlert } from '../../db/alerts/alerts.ts'
import type { Database } from '../../db/core/connect.ts'
import type { KeyRing } from '../../db/core/seal.ts'
import { loadDraft, storeDraft } from '../../db/evidence/evidence-drafts.ts'
import { storePackage } from '../../db/packages/packages.ts'
import { readBuildOrder } from '../../db/packages/wanted.ts'
import { eventName } from '../../webhooks/render.ts'
import { addChargeback, addEvidenceFile, addIntegration } from '../integration/api/chargebacks/chargeback-rows.ts'
import { operations } from './document.ts'
import { KINDS, type RecipeIds, recipeOf } from './recipes.ts'
import { draft, request, type Send } from './requests.ts'

/** Well-formed ids of resources that do not exist. */
export const missingIds = () => Object.fromEntries(KINDS.map((kind) => [kind, uuidv7()])) as RecipeIds

/** More than one page, so that a cursor exists. */
const CHARGEBACKS = 11

/** The PSP account of a world's integrations; by default one that does not exist. */
export type PspAccount = Parameters<typeof addIntegration>[3]

interface Owner {
  merchantUuid: string
  token: string
}

/** One resource of each kind, made through the interface if possible. */
export async function stock(
  db: Database,
  ring: KeyRing,
  send: Send,
  owner: Owner,
  account?: PspAccount,
): Promise<RecipeIds> {
  const { merchantUuid } = owner
  const integration = await addIntegration(db, ring, merchantUuid, account)
  await db.updateTable('integration').set({ polled_at: new Date() }).where('integration_id', '=', integration).execute()
  const at = { merchantUuid, integrationId: integration }
  const chargebacks = []
  for (let n = 0; n < CHARGEBACKS; n++) chargebacks.push(await addChargeback(db, at))
  const [chargeback = '', accepted = '', submitted = '', drafted = ''] = chargebacks
  await buildDraft(db, ring, drafted)
  const alert = await storeAlert(db, at, ethocaAlert())
  const ids = { ...missingIds(), merchant: merchantUuid, integration, chargeback, accepted, submitted, drafted, alert }
  const make = (operationId: string, change: Partial<RecipeIds> = {}) =>
    perform(send, owner, operationId, { ...ids, ...change }).then(({ id = '' }) => id)
  await make('acceptChargeback', { chargeback: accepted })
  ids.file = await make('uploadFile')
  ids.unusedFile = await make('uploadFile')
  ids.submission = await make('submitEvidence', { chargeback: submitted })
  ids.ingestion = await make('uploadRawData')
  ids.endpoint = await make('createWebhookEndpoint')
  ids.unusedEndpoint = await make('createWebhookEndpoint')
  await make('testWebhookEndpoint')
  ids.event = await addEvent(db, merchantUuid, chargeback)
  return ids
}

/** Built evidence of two statements, as the worker stores it. */
export async function buildDraft(db: Database, ring: KeyRing, chargebackId: string): Promise<void> {
  await db
    .updateTable('chargeback')
    .set({ status: 'building_evidence', package_wanted_at: new Date() })
    .where('id', '=', chargebackId)
    .execute()
  const order = await readBuildOrder(db, chargebackId)
  if (!order) throw new Error('the chargeback wants no evidence')
  const fileId = await addEvidenceFile({ db, ring }, order.merchantUuid)
  const stored = await storePackage(db, ring, order, {
    digest: '00'.repeat(32),
    place: null,
    summary: {
      ...{
        play: 'general',
        playbook: { id: 'general', version: 1, override: null },
        completeness: 1,
        manualOnly: false,
      },
      ...{ requiredMissing: 0, kept: ['delivered'], contradicted: false },
    },
    content: {
      texts: { shipping_carrier: 'DHL', shipping_tracking_number: '1234' },
      statements: [
        { id: 'delivered', kept: true, text: 'The parcel was delivered on 6 March 2026.', exhibits: ['A'] },
        { id: 'signed', kept: false, why: 'missing: deliverySignedBy', exhibits: [] },
      ],
      exhibits: [{ letter: 'A', fileId, kind: 'delivery', pages: 1 }],
      ...{
        textsLeftOut: [],
        filesLeft: [],
        requiredMissing: [],
        missing: ['deliverySignedBy'],
        warnings: [],
        addresses: [],
      },
    },
    pdf: { bytes: Buffer.from('%PDF-1.4'), pages: 1 },
    ...{ refused: null, dropped: [], againInMinutes: null },
  })
  if (stored !== 'built') throw new Error(`the package is not stored: ${stored}`)
}

/** An event about a chargeback, as the sequencer writes it. @returns its name */
async function addEvent(db: Database, merchantUuid: string, chargeback: string): Promise<string> {
  const eventId = uuidv7()
  await sql`
    with next as (update event_state set position = position + 1 returning position), row as (
      insert into timeline_event (merchant_uuid, chargeback_id, source, what)
      values (${merchantUuid}, ${chargeback}, 'stripe', 'details changed') returning timeline_event_id as id)
    insert into event (position, event_id, merchant_uuid, type, subject, chargeback_id, timeline_from, timeline_to, occurred_at)
    select position, ${eventId}, ${merchantUuid}, 'chargeback.updated', ${chargeback}, ${chargeback}, id, id, now()
    from next, row`.execute(db)
  return eventName(eventId)
}

export const ethocaAlert = () => ({
  reference: randomUUID(),
  psp: 'stripe' as const,
  providerName: 'Ethoca' as const,
  money: { currency: 'EUR', amountMinor: 1099n, amountExponent: 2 },
  alertDate: '2026-01-31T09:30:00Z',
  transactionId: `tx_${randomUUID()}`,
  arn: null,
  externalTransactionIdentifier: null,
  reasonCode: null,
  reason: null,
  fraudType: null,
  cardScheme: 'mastercard' as const,
  paymentMethod: null,
  bin: null,
  cardLastFourDigits: '4444',
})

/** Replaces the worker that drafts a submission: without one the dry run returns 503. */
export function stubDrafts(deps: ApiDeps): void {
  const nothing = { refused: null, requirements: null, dropped: [], shortened: [], converted: null }
  deps.draft = async ({ planId }) => {
    const { fileId = '' } = (await loadDraft(deps.db, planId)) ?? {}
    const steps = [{ do: 'upload', fileId, field: 'uncategorized_file' }, { do: 'stage' }, { do: 'submit' }]
    await storeDraft(deps.db, planId, { ...nothing, steps, texts: ['customer_email_address'] })
    return true
  }
}

/** Calls an operation as its merchant. @throws if it is refused, because the world would be incomplete */
async function perform(send: Send, owner: Owner, operationId: string, ids: RecipeIds): Promise<Record<string, string>> {
  const operation = operations.find(({ id }) => id === operationId)
  if (!operation) throw new Error(`there is no operation ${operationId}`)
  const recipe = recipeOf(operation)
  const reply = await send(request(operation, draft(recipe, ids), { token: owner.token }))
  if (reply.status !== recipe.status) throw new Error(`${operation.name} returned ${reply.status}: ${reply.text}`)
  return JSON.parse(reply.text)
}
