import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { Database } from '../../../db/core/connect.ts'
import { type KeyRing, seal, sealContext } from '../../../db/core/seal.ts'
import { createMerchant } from '../../../db/merchants/merchants.ts'
import { stripeSimulator } from '../../../simulators/stripe/index.ts'

interface Many {
  accountId: string
  count: number
  /** Number of merchants. They own the integrations in turn. */
  merchants: number
  /** PSP account of the integration with that index. */
  accountOf(place: number): string
}

/** Verified Stripe integrations that shards poll, next in an hour. @returns their ids */
export async function fillIntegrations(
  db: Database,
  ring: KeyRing,
  { accountId, count, merchants, accountOf }: Many,
): Promise<string[]> {
  const merchantUuids: string[] = []
  for (let place = 0; place < merchants; place++) {
    const { merchantUuid } = await createMerchant(db, ring, {
      accountId,
      merchantName: `Shop ${place}`,
      websiteUrl: 'https://shop.example.com',
      contact: { email: 'owner@shop.example.com', firstName: 'Olive', lastName: 'Owner' },
    })
    merchantUuids.push(merchantUuid)
  }
  const payload = JSON.stringify(stripeSimulator.secretPayload)
  const ids: string[] = []
  for (let from = 0; from < count; from += 5_000) {
    const rows = Array.from({ length: Math.min(5_000, count - from) }, (_, index) => {
      const integrationId = uuidv7()
      const merchantUuid = merchantUuids[(from + index) % merchants] as string
      const context = sealContext.integrationSecret({ integrationId, source: 'stripe', merchantUuid })
      return { integrationId, merchantUuid, account: accountOf(from + index), sealed: seal(ring, payload, context) }
    })
    ids.push(...rows.map(({ integrationId }) => integrationId))
    await sql`
      insert into integration (integration_id, merchant_uuid, source, integration_name, external_identifier,
        secret_type, secret_sealed, status, verified_at, next_poll_at)
      select id, merchant, 'stripe', 'Many', account, ${stripeSimulator.secretType}, sealed, 'SUCCESSFUL', now(),
        now() + interval '1 hour'
      from unnest(${rows.map((row) => row.integrationId)}::uuid[], ${rows.map((row) => row.merchantUuid)}::uuid[],
        ${rows.map((row) => row.account)}::text[], ${rows.map((row) => row.sealed)}::text[])
        as row (id, merchant, account, sealed)`.execute(db)
  }
  return ids
}
