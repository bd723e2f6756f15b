import { readKeyRing } from '../../db/core/seal.ts'
import { serveOrders } from '../runner/child.ts'
import { peakRssMb } from '../runner/clocks.ts'
import { openPoller, type Poller, type PollerOptions } from './poller.ts'

export type PollerOrder =
  | ({ do: 'open'; ring: string } & Omit<PollerOptions, 'ring'>)
  | { do: 'sync' }
  | { do: 'close' }

/** Process that polls as the worker does. */
let poller: Poller | null = null

await serveOrders(async (order: PollerOrder) => {
  if (order.do === 'open') {
    poller = openPoller({ ...order, ring: readKeyRing(order.ring) })
    return null
  }
  if (!poller) throw new Error('nothing is open')
  if (order.do === 'sync') return { ...(await poller.poll()), rssMb: peakRssMb() }
  await poller[Symbol.asyncDispose]()
  poller = null
  return null
})
