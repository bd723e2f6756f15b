import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { type ConnectedDatabase, connect } from '../db/core/connect.ts'
import { readKeyRing } from '../db/core/seal.ts'
import { createEndpoint } from '../db/webhooks/endpoints.ts'
import { scriptArguments } from '../local/run-script.ts'
import { misbehaving } from '../test/integration/webhooks/misbehaving.ts'
import { newKeys } from '../webhooks/sign.ts'
import { openOtherSide } from './psp/other-side.ts'
import { type Dataset, makeDataset } from './reads/dataset.ts'
import { appRole } from './runner/app-role.ts'
import { type Child, openChild } from './runner/child.ts'
import type { Context } from './runner/context.ts'
import { openDatabases } from './runner/databases.ts'
import { percentile } from './runner/metric.ts'
import { until } from './service/service.ts'
import type { ReceiversState } from './webhooks/receivers-process.ts'
import type { SenderCosts } from './webhooks/sender-process.ts'

/** Of each merchant; a transaction changes one in each of them. */
const CHARGEBACKS_EACH = 10
/** Number of deliveries whose latency is measured; smaller with a small `--count`. */
const SAMPLES = 100
const SENT_MS = 1_800_000
const ARRIVED_MS = 60_000

interface Sent {
  /** Of the sending process, with the sequencer. */
  cpuMs: number
  statements: number
  rate: number
}

export async function run(context: Context): Promise<void> {
  const events = context.size(100_000, 3_000)
  const samples = Math.min(SAMPLES, Math.ceil(events / 150))
  await using otherSide = await openOtherSide()
  const { url: serverUrl, pid: postmaster } = otherSide.postgres
  await using _role = appRole(serverUrl)
  await using databases = await openDatabases(serverUrl)
  const data = await makeDataset(databases, 4_000)
  const db = connect(data.url, { scope: 'owner', max: 2, statementTimeoutMs: 0 })
  await using _db = { [Symbol.asyncDispose]: () => db.destroy() }
  await using receivers = openChild(process.execPath, scriptArguments('bench/webhooks/receivers-process.ts'), {
    name: 'the receivers',
  })
  await using sender = openChild(process.execPath, scriptArguments('bench/webhooks/sender-process.ts'), {
    name: 'the sender',
  })
  const { url } = await receivers.ask<ReceiversState>({ do: 'open' })
  await addEndpoints(db, data, url)
  const chargebacks = await changeable(db)
  await sender.ask<SenderCosts>({ do: 'open', databaseUrl: data.appUrl, ring: data.ring })
  context.fact({ events, receivers: data.merchants.length, postgres: await databases.describe() })

  const { rounds, loudPairs } = await context.pairsOf<string, Sent | number>(
    {
      backlog: () => sendBacklog({ db, receivers, sender }, chargebacks, events),
      idle: () => timeToArrive({ db, receivers }, chargebacks, samples),
      beside: () => besideMisbehaving({ db, receivers }, data, chargebacks, samples),
    },
    postmaster,
  )
  const sent = rounds.map((round) => round.backlog as Sent)
  const line = (figure: string, unit: string, clock: 'wall' | 'cpu' | 'count', ours: number[]) =>
    context.metric({ name: `webhooks.${figure}`, unit, clock, ours, anchor: null }, loudPairs)
  line(
    'cpu',
    'ms',
    'cpu',
    sent.map(({ cpuMs }) => cpuMs),
  )
  line(
    'statements',
    'per delivery',
    'count',
    sent.map(({ statements }) => statements),
  )
  line(
    'rate',
    'deliveries/s',
    'wall',
    sent.map(({ rate }) => rate),
  )
  line(
    'latency_p95',
    'ms',
    'wall',
    rounds.map((round) => round.idle as number),
  )
  line(
    'latency_beside_p95',
    'ms',
    'wall',
    rounds.map((round) => round.beside as number),
  )
}

const ENDPOINT = {
  ...({ description: null, events: ['*'], payload: 'full', signature: 'hmac' } as const),
  ...{ publicKey: null, actor: 'benchmark' },
}

/** One endpoint for each merchant. Their integrations have been loaded, so that nothing is quiet. */
async function addEndpoints(
  db: ConnectedDatabase,
  { accountId, merchants, ring }: Dataset,
  url: string,
): Promise<void> {
  const keyRing = readKeyRing(ring)
  await sql`update integration set first_loaded_at = now(), last_successful_poll_at = now()`.execute(db)
  for (const [n, { merchantUuid }] of merchants.entries())
    await createEndpoint(db, keyRing, {
      ...ENDPOINT,
      accountId,
      merchantUuid,
      url: `${url}/${n}`,
      keys: newKeys('hmac'),
    })
}

/** Ids of the same number of chargebacks of each merchant. */
async function changeable(db: ConnectedDatabase): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from (select id, row_number() over (partition by merchant_uuid order by id) as n from chargeback) c
    where n <= ${CHARGEBACKS_EACH} order by n, id`.execute(db)
  return rows.map(({ id }) => id)
}

/** One transaction. @returns when it was committed, ms since 1970 */
async function change(db: ConnectedDatabase, ids: readonly string[]): Promise<number> {
  await sql`
    insert into timeline_event (merchant_uuid, chargeback_id, source, what, before, after)
    select merchant_uuid, id, 'stripe', 'pspStatus changed', '{"pspStatus": "needs_response"}', '{"pspStatus": "under_review"}'
    from chargeback where id = any(${ids}::uuid[])`.execute(db)
  return Date.now()
}

async function sendBacklog(
  { db, receivers, sender }: { db: ConnectedDatabase; receivers: Child; sender: Child },
  chargebacks: readonly string[],
  events: number,
): Promise<Sent> {
  const received = async () => (await receivers.ask<ReceiversState>({ do: 'state' })).distinct
  const [before, costs] = [await received(), await sender.ask<SenderCosts>({ do: 'costs' })]
  const began = performance.now()
  for (let left = events; left > 0; left -= chargebacks.length) await change(db, chargebacks.slice(0, left))
  await until('every event has arrived', async () => (await received()) - before >= events, SENT_MS)
  const seconds = (performance.now() - began) / 1000
  const after = await sender.ask<SenderCosts>({ do: 'costs' })
  return {
    cpuMs: (after.cpuMs - costs.cpuMs) / events,
    statements: (after.statements - costs.statements) / events,
    rate: events / seconds,
  }
}

/** The same while every event also goes to receivers that misbehave, of an account that has them for this time. */
async function besideMisbehaving(
  processes: { db: ConnectedDatabase; receivers: Child },
  { accountId, ring }: Dataset,
  chargebacks: readonly string[],
  samples: number,
): Promise<number> {
  const { db } = processes
  await using bad = await misbehaving()
  for (const url of bad.urls)
    await createEndpoint(db, readKeyRing(ring), {
      ...ENDPOINT,
      accountId,
      merchantUuid: null,
      url,
      keys: newKeys('hmac'),
    })
  const p95 = await timeToArrive(processes, chargebacks, samples)
  await sql`update webhook_endpoint set deleted_at = now(), due_at = null where merchant_uuid is null`.execute(db)
  return p95
}

/** 95th percentile from the commit of a change to its request, while nothing else happens, ms. */
async function timeToArrive(
  { db, receivers }: { db: ConnectedDatabase; receivers: Child },
  chargebacks: readonly string[],
  samples: number,
): Promise<number> {
  const times: number[] = []
  let { distinct } = await receivers.ask<ReceiversState>({ do: 'state' })
  for (let n = 0; n < samples; n++) {
    // At any moment of the sequencer's interval.
    await pause(Math.random() * 250)
    const committed = await change(db, [chargebacks[n % chargebacks.length] as string])
    let lastAt = 0
    const arrived = async () => {
      const state = await receivers.ask<ReceiversState>({ do: 'state' })
      lastAt = state.lastAt
      return state.distinct > distinct
    }
    await until('the event has arrived', arrived, ARRIVED_MS)
    distinct += 1
    times.push(lastAt - committed)
  }
  return percentile(times, 0.95)
}
