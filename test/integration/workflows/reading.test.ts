import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { adapterFor } from '../../../adapters/registry.ts'
import { stripeSimulator } from '../../../adapters/stripe/simulator.ts'
import { loadConnection } from '../../../db/connections.ts'
import type { ActivityDeps } from '../../../workflows/activities/deps.ts'
import { storeReading } from '../../../workflows/activities/reading.ts'
import { until } from '../../harness/until.ts'
import { openWorkshop } from './in-process.ts'

describe('a dispute that is read on its own', () => {
  test('is stored although its chargeback was changed between the reading of the row and its writing', async () => {
    await using workshop = await openWorkshop()
    const { db, ring } = workshop
    const { disputes } = await workshop.control('POST', '/disputes', { count: 1, status: 'needs_response' })
    const shop = await workshop.merchantOf(stripeSimulator.profile.homeAccount)
    await shop.poll()
    const before = await shop.one()
    await workshop.control('POST', `/disputes/${disputes[0].ref}/decide`, { outcome: 'lost' })
    const { object } = await workshop.control('GET', `/disputes/${disputes[0].ref}`)
    const connection = await loadConnection(db, shop.integrationId)
    const definition = adapterFor('stripe', stripeSimulator.secretType)
    if (!connection || !definition) throw new Error('the integration is gone')

    const deps = { db, ring, now: () => new Date() } as unknown as ActivityDeps
    const raw = { reference: disputes[0].ref as string, text: JSON.stringify(object) }
    const reading = await db.transaction().execute(async (trx) => {
      await trx.updateTable('chargeback').set({ version: sql`version + 1` }).where('id', '=', before.id).execute()
      const storing = storeReading(deps, connection, definition, raw, new Date())
      await until('the writing waits for this transaction', async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
        return rows.length > 0
      })
      return { storing }
    })
    await reading.storing
    expect(await shop.one()).toMatchObject({ psp_status: 'lost', version: before.version + 2n })
  })
})
