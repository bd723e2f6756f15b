import { ingest } from './ingest.ts'
import { resync } from './resync.ts'
import { roundtrips } from './roundtrips.ts'
import type { Benchmark } from './runner/context.ts'
import { tenancy } from './tenancy.ts'

/** In the order of `npm run bench -- all`. */
export const BENCHMARKS: readonly Benchmark[] = [roundtrips, ingest, resync, tenancy]
