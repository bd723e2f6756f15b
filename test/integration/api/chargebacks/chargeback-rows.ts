import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../../../../db/core/connect.ts'
import type { KeyRing } from '../../../../db/core/seal.ts'
import { storeFile } from '../../../../db/evidence/files.ts'
import { createIntegration } from '../../../../db/integrations/integrations.ts'
import type { Chargeback } from '../../../../db/schema.ts'
import { createStage, type Stage } from '../stage.ts'

/** A verified Stripe integration of the merchant. */
export async function addIntegration(
  db: Database,
  ring: KeyRing,
  merchantUuid: string,
  account: Partial<Parameters<typeof createIntegration>[2]> = {},
): Promise<string> {
  const { integrationId } = await createIntegration(db, ring, {
    merchantUuid,
    source: 'stripe',
    integrationName: 'Stripe',
    externalIdentifier: `acct_${randomUUID().slice(0, 12)}`,
    secretType: 'APIKEY_ONLY',
    secretPayload: { apiKey: 'rk_test_planted' },
    ...account,
  })
  await db
    .updateTable('integration')
    .set({ status: 'SUCCESSFUL', verified_at: new Date() })
    .where('integration_id', '=', integrationId)
    .execute()
  return integrationId
}

/** The merchant and integration of a chargeback. */
export interface Place {
  merchantUuid: string
  integrationId: string
}

/** A stage whose merchant has a verified integration. */
export async function stageWithIntegration(): Promise<{ stage: Stage; at: Place }> {
  const stage = await createStage()
  const { db, ring, merchantUuid } = stage
  return { stage, at: { merchantUuid, integrationId: await addIntegration(db, ring, merchantUuid) } }
}

/** A chargeback that can be accepted, unless `values` prevents it. @returns its id */
export async function addChargeback(
  db: Database,
  at: Place,
  values: Partial<Insertable<Chargeback>> = {},
): Promise<string> {
  const id = uuidv7()
  await db
    .insertInto('chargeback')
    .values({
      id,
      merchant_uuid: at.merchantUuid,
      integration_id: at.integrationId,
      chargeback_id: `du_${randomUUID()}`,
      psp: 'stripe',
      currency: 'USD',
      amount_minor: 1099n,
      amount_exponent: 2,
      posting_date: new Date('2026-01-31T09:30:00Z'),
      due_date: new Date(Date.now() + 7 * 24 * 3600 * 1000),
      psp_status: 'needs_response',
      status: 'waiting_for_data',
      status_reason: 'new',
      lifecycle_stage: 'chargeback',
      reason_group: 'fraud',
      content_hash: Buffer.alloc(32),
      translation_version: 1,
      read_at: new Date(),
      ...values,
    })
    .execute()
  return id
}

/** A small PDF that the merchant uploaded as evidence. @returns its id */
export async function addEvidenceFile(at: { db: Database; ring: KeyRing }, merchantUuid: string): Promise<string> {
  const { fileId } = await storeFile(at.db, at.ring, {
    ...{ merchantUuid, name: 'receipt.pdf', purpose: 'evidence_file', type: 'application/pdf' },
    ...{ metadata: null, content: Buffer.from('%PDF-1.7\n'), addresses: [] },
  })
  return fileId
}
