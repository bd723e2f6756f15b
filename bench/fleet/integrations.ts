import { connect } from '../../db/core/connect.ts'
import { migrate } from '../../db/core/migrate.ts'
import { readKeyRing } from '../../db/core/seal.ts'
import { createIntegration } from '../../db/integrations/integrations.ts'
import { createAccount } from '../../db/merchants/accounts.ts'
import { createMerchant } from '../../db/merchants/merchants.ts'
import { keyOf } from '../psp/bulk.ts'
import { asApp } from '../runner/app-role.ts'

/** A migrated database with integrations of the bulk Stripe, each with its own PSP account; a worker verifies them. */
export async function makeFleet(url: string, ring: string, count: number): Promise<void> {
  const keys = readKeyRing(ring)
  const db = connect(url, { scope: 'owner', max: 1, statementTimeoutMs: 0 })
  try {
    await migrate(db, 'sandbox', asApp(url))
    const { accountId } = await createAccount(db, { name: 'Benchmark' })
    const { merchantUuid } = await createMerchant(db, keys, {
      accountId,
      merchantName: 'Benchmark',
      websiteUrl: 'https://shop.example',
      contact: { email: 'owner@shop.example', firstName: 'Olga', lastName: 'Owner' },
    })
    for (let n = 1; n <= count; n++) {
      const account = `acct_bulk${n}`
      await createIntegration(db, keys, {
        merchantUuid,
        source: 'stripe',
        integrationName: account,
        externalIdentifier: account,
        secretType: 'APIKEY_ONLY',
        secretPayload: { apiKey: keyOf(account) },
      })
    }
  } finally {
    await db.destroy()
  }
}
