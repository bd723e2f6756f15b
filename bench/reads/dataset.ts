import type pg from 'pg'
import { connect } from '../../db/core/connect.ts'
import { migrate } from '../../db/core/migrate.ts'
import { readKeyRing } from '../../db/core/seal.ts'
import { createIntegration } from '../../db/integrations/integrations.ts'
import { createAccount } from '../../db/merchants/accounts.ts'
import { issueCredential } from '../../db/merchants/credentials.ts'
import { createMerchant } from '../../db/merchants/merchants.ts'
import { newRing } from '../ours/recoup.ts'
import { asApp } from '../runner/app-role.ts'
import type { Databases } from '../runner/databases.ts'

const MERCHANTS = 100
const INTEGRATIONS_EACH = 5
const STATUSES = [
  'waiting_for_data',
  'building_evidence',
  'pending_psp_results',
  'not_represented',
  'evidence_submitted',
]
/** What the lists of the benchmark ask for. */
export const LISTED_STATUS = 'building_evidence'
export const PAGE = 50

export interface ReadMerchant {
  merchantUuid: string
  token: string
}

/** A database with many chargebacks of many merchants, one of whom owns half of them. */
export interface Dataset {
  /** Of the owner, whom row-level security does not hold back. */
  url: string
  /** Of the restricted role. */
  appUrl: string
  ring: string
  accountId: string
  /** The first owns half of the chargebacks. */
  merchants: ReadMerchant[]
}

export async function makeDataset(databases: Databases, chargebacks: number): Promise<Dataset> {
  const url = await databases.create()
  const ring = newRing()
  const keys = readKeyRing(ring)
  const db = connect(url, { scope: 'owner', max: 1, statementTimeoutMs: 0 })
  try {
    await migrate(db, 'sandbox', asApp(url))
    const { accountId } = await createAccount(db, { name: 'Benchmark' })
    const merchants: ReadMerchant[] = []
    const integrations: string[] = []
    for (let n = 0; n < MERCHANTS; n++) {
      const { merchantUuid } = await createMerchant(db, keys, {
        accountId,
        merchantName: `Shop ${n}`,
        websiteUrl: 'https://shop.example',
        contact: { email: 'owner@shop.example', firstName: 'Olga', lastName: 'Owner' },
      })
      const credential = { accountId, scope: 'merchant', merchantUuid, environment: 'sandbox' } as const
      const { token } = await issueCredential(db, keys, credential)
      merchants.push({ merchantUuid, token })
      for (let m = 0; m < INTEGRATIONS_EACH; m++) {
        const { integrationId } = await createIntegration(db, keys, {
          merchantUuid,
          source: 'stripe',
          integrationName: `Stripe ${m}`,
          externalIdentifier: `acct_bench${n}x${m}`,
          secretType: 'APIKEY_ONLY',
          secretPayload: { apiKey: 'sk_test_bench' },
        })
        integrations.push(integrationId)
      }
    }
    const shops = merchants.map(({ merchantUuid }) => merchantUuid)
    await insertChargebacks(db.pool, { chargebacks, shops, integrations })
    return { url, appUrl: asApp(url), ring, accountId, merchants }
  } finally {
    await db.destroy()
  }
}

async function insertChargebacks(
  pool: pg.Pool,
  { chargebacks, shops, integrations }: { chargebacks: number; shops: string[]; integrations: string[] },
): Promise<void> {
  await pool.query(
    `insert into chargeback (id, merchant_uuid, integration_id, chargeback_id, psp, currency, amount_minor,
       amount_exponent, posting_date, due_date, psp_status, psp_status_change_date, status, status_reason,
       lifecycle_stage, reason_group, reason_code, reason, arn, card_scheme, content_hash, translation_version, read_at)
     select gen_random_uuid(), ($2::uuid[])[shop], ($3::uuid[])[(shop - 1) * $4 + n / 7 % $4 + 1], 'du_bench' || n,
       'stripe', 'USD', 1000 + n % 90000, 2, now() - make_interval(secs => n * 7), now() + interval '7 days',
       'needs_response', now() - make_interval(secs => n), ($5::text[])[n / 3 % 5 + 1], 'it is new',
       'chargeback', 'fraud', '10.4', 'Fraud', lpad(n::text, 23, '7'), 'visa', decode(md5(n::text), 'hex'), 1, now()
     from (select n, case when n % 2 = 0 then 1 else n / 2 % ($6 - 1) + 2 end as shop
           from generate_series(1, $1::int) n) numbered`,
    [chargebacks, shops, integrations, INTEGRATIONS_EACH, STATUSES, MERCHANTS],
  )
  await pool.query('vacuum analyze chargeback')
}
