import { serveOrders } from '../runner/child.ts'
import { type SweepOptions, sweep } from './sweeper.ts'

/** Process that sweeps as a worker does. */
await serveOrders((order: SweepOptions) => sweep(order))
