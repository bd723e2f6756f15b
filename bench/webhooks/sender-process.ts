import { connect } from '../../db/core/connect.ts'
import { readKeyRing } from '../../db/core/seal.ts'
import { fanOut } from '../../db/webhooks/fan-out.ts'
import { addressBlocks } from '../../process/address-blocks.ts'
import { createLog } from '../../process/log.ts'
import { startEngine } from '../../webhooks/engine.ts'
import { createPoster } from '../../webhooks/post.ts'
import { renderDeliveries } from '../../webhooks/render-deliveries.ts'
import { startSequencer } from '../../webhooks/sequencer.ts'
import { serveOrders } from '../runner/child.ts'
import { openStack } from '../runner/stack.ts'

/** Of a worker, for webhooks. */
const CONNECTIONS = 4
const SLOTS = 20

export type SenderOrder = { do: 'open'; databaseUrl: string; ring: string } | { do: 'costs' }

export interface SenderCosts {
  /** Since the start of the process. */
  cpuMs: number
  statements: number
}

const stack = openStack()
let statements = 0

/** Process that gives events their positions and sends webhooks, as a worker does. */
await serveOrders(
  async (order: SenderOrder): Promise<SenderCosts> => {
    if (order.do === 'open') open(order)
    const { user, system } = process.cpuUsage()
    return { cpuMs: (user + system) / 1000, statements }
  },
  () => stack.dispose(),
)

function open({ databaseUrl, ring }: { databaseUrl: string; ring: string }): void {
  const db = connect(databaseUrl, { scope: 'system', max: CONNECTIONS })
  db.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      statements++
      return query(...args)
    }) as typeof client.query
  })
  const log = createLog({ name: 'bench', level: 'warn' })
  const poster = createPoster({ allowed: addressBlocks(['127.0.0.1/32']), proxy: null, timeoutMs: 15_000 })
  const deps = { db, ring: readKeyRing(ring), poster, log, now: () => new Date(), counted() {} }
  stack.use({ [Symbol.asyncDispose]: () => db.destroy() })
  stack.use({ [Symbol.asyncDispose]: async () => poster[Symbol.dispose]() })
  stack.use(startEngine({ ...deps, render: renderDeliveries(db), databaseUrl, slots: SLOTS }))
  stack.use(startSequencer({ db, log, fanOut }))
}
