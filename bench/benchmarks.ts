import { actions } from './actions.ts'
import { analytics } from './analytics.ts'
import { consolePage } from './browser/console.ts'
import { cluster } from './cluster.ts'
import { copyLimit } from './copy-limit.ts'
import { durable } from './durable.ts'
import { evidence } from './evidence.ts'
import { growth } from './growth.ts'
import { ingest } from './ingest.ts'
import { linear } from './linear.ts'
import { list } from './list.ts'
import { overtake } from './overtake.ts'
import { paging } from './paging.ts'
import { poison } from './poison.ts'
import { resync } from './resync.ts'
import { roundtrips } from './roundtrips.ts'
import { rtt100 } from './rtt100.ts'
import type { Benchmark } from './runner/context.ts'
import { start } from './start.ts'
import { sweep } from './sweep.ts'
import { tenancy } from './tenancy.ts'
import { token } from './token.ts'
import { webhooks } from './webhooks.ts'

/** In the order of `npm run bench -- all`. */
export const BENCHMARKS: readonly Benchmark[] = [
  ...[roundtrips, actions, growth, ingest, resync, rtt100],
  ...[list, paging, analytics, webhooks, token, copyLimit, linear, poison, tenancy],
  ...[sweep, overtake, durable, cluster, evidence, consolePage, start],
]
