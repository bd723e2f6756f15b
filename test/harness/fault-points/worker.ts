import { startWorker } from '../../../workflows/worker/start.ts'
import { watchAdapters } from './adapters.ts'
import { watchActivities } from './attempt.ts'
import { watchDatabase } from './database.ts'
import { fromEnvironment } from './from-environment.ts'
import { watchStarts } from './temporal.ts'

/** The worker with fault points. */
const at = fromEnvironment(process.env)
await startWorker((parts) => {
  for (const db of [parts.db, parts.pollingDb]) watchDatabase(db, at)
  watchStarts(parts.temporal, at)
  return {
    ...parts,
    adapterFor: watchAdapters(parts.adapterFor, at),
    createActivities: (deps) => watchActivities(parts.createActivities(deps), at),
  }
})
