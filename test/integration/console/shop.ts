import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import type { Insertable } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { ApiDeps } from '../../../api/context.ts'
import { createEventBell } from '../../../api/routes/events/event-bell.ts'
import type { Chargeback } from '../../../db/schema.ts'
import { openEvents } from '../events/events-fixture.ts'

export type Row = Partial<Insertable<Chargeback>>

/**
 * An API that a browser can open, over a database whose chargebacks the test writes. Nothing runs by itself.
 * @param date that its responses have; the page counts days by it
 */
export async function openShop(deps: Partial<ApiDeps> = {}, date?: Date) {
  const bell = createEventBell()
  const events = await openEvents({ events: bell, unauthenticatedLimitPerMinute: 1_000_000, ...deps })
  const { stage, at } = events
  const fetch: typeof stage.app.fetch = async (...request) => {
    const response = await stage.app.fetch(...request)
    if (date) response.headers.set('date', date.toUTCString())
    return response
  }
  const server = serve({ fetch, port: 0, hostname: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  const { accountId, merchantUuid } = stage
  const base = {
    ...{ merchant_uuid: at.merchantUuid, integration_id: at.integrationId, content_hash: Buffer.alloc(32) },
    ...{ psp: 'stripe', currency: 'EUR', amount_minor: 1_000n, amount_exponent: 2, psp_status: 'needs_response' },
    ...{ status: 'waiting_for_data', status_reason: 'More data is needed.', lifecycle_stage: 'chargeback' },
    ...{ reason_group: 'fraud', reason_code: '10.4', reason: 'Fraud', translation_version: 1, read_at: new Date() },
  }
  return {
    ...events,
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** @returns their ids, in the same order */
    async add(rows: readonly Row[]): Promise<string[]> {
      const values = rows.map((row, n) => ({ ...base, id: uuidv7(), chargeback_id: `du_${n}_${uuidv7()}`, ...row }))
      for (let from = 0; from < values.length; from += 500)
        await stage.db
          .insertInto('chargeback')
          .values(values.slice(from, from + 500))
          .execute()
      return values.map(({ id }) => id)
    },
    /** Changes a chargeback as the service does: the row, and what happened. */
    async change(id: string, row: Row, what: string): Promise<void> {
      await stage.db.updateTable('chargeback').set(row).where('id', '=', id).execute()
      await events.note(id, what)
      await events.settle()
      bell.ring(merchantUuid)
    },
    issue: (role: 'read' | 'work' | 'manage', name: string) =>
      stage.issue({ accountId, scope: 'merchant', merchantUuid, role, name }),
    async [Symbol.asyncDispose]() {
      bell.close()
      server.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await events[Symbol.asyncDispose]()
    },
  }
}

export type Shop = Awaited<ReturnType<typeof openShop>>
