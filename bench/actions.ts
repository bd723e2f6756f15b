import { sql } from 'kysely'
import { addIntegrations } from './fleet/integrations.ts'
import { actionCounts } from './ours/actions.ts'
import { openOtherSide } from './psp/other-side.ts'
import { appRole } from './runner/app-role.ts'
import type { Context } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'
import { openService, type Service, until } from './service/service.ts'

/** Integrations and their interval: 33 polls a second, as 10,000 every five minutes. */
const INTEGRATIONS = 1_000
const INTERVAL_SECONDS = 30
/** Of each: what a poll costs at Temporal does not depend on them. */
const DISPUTES = 1
const LOADED_MS = 600_000
/** A shard's run lasts a minute: whole minutes have whole runs. */
const MINUTE_MS = 60_000

export async function run(context: Context): Promise<void> {
  for (const [figure, value] of Object.entries(actionCounts()))
    context.metric({
      ...{ name: `actions.${figure}`, unit: 'actions', clock: 'count', ours: [value], anchor: null },
    })
  await dispatch(context)
}

/** Everything that the server counts as an action while shards poll, reconciliation included, for each poll. */
async function dispatch(context: Context): Promise<void> {
  await using otherSide = await openOtherSide()
  const { url: serverUrl } = otherSide.postgres
  await using _role = appRole(serverUrl)
  await using databases = await openDatabases(serverUrl)
  const pspUrl = await otherSide.bulk({ count: DISPUTES })
  const env = { RECOUP_POLL_INTERVAL_SECONDS: String(INTERVAL_SECONDS) }
  await using service = await openService(otherSide, databases, { pspUrl, env })
  await addIntegrations(service.db, service.ring, { count: INTEGRATIONS, name: 'fleet' })
  await sql`update integration set next_poll_at = now()`.execute(service.db)
  await service.start()
  const allPolled = async () => (await polls(otherSide.counters)) >= 0 && (await unpolled(service)) === 0
  await until('every integration was polled once', allPolled, LOADED_MS)
  await polls(otherSide.counters)
  const before = await countedActions(service)
  const minutes = context.quick ? 1 : 3
  await new Promise((resolve) => setTimeout(resolve, minutes * MINUTE_MS))
  const counted = (await countedActions(service)) - before
  const polled = await polls(otherSide.counters)
  context.fact({ integrations: INTEGRATIONS, intervalSeconds: INTERVAL_SECONDS, polls: polled })
  const each = { unit: 'actions/poll', clock: 'count', anchor: null } as const
  context.metric({ ...each, name: 'actions.dispatch', ours: [counted / polled] })
  context.metric({ ...each, name: 'actions.dispatch_minute', unit: 'actions/minute', ours: [counted / minutes] })
}

/** Since it was asked last. Each poll without news is one request for disputes. */
const polls = async (counters: () => Promise<{ requests: number }>) => (await counters()).requests

async function unpolled({ db }: Service): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from integration where last_successful_poll_at is null`.execute(db)
  return rows[0]?.n ?? 0
}

/** The server's own counter. */
async function countedActions({ temporal }: Service): Promise<number> {
  const text = await (await fetch(temporal.metricsUrl)).text()
  const values = text.matchAll(/^action(?:_total)?\{[^}]*namespace="default"[^}]*\} (\S+)$/gm)
  return [...values].reduce((sum, [, value]) => sum + Number(value), 0)
}
