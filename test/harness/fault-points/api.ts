import { startApi } from '../../../api/start.ts'
import { watchDatabase } from './database.ts'
import { fromEnvironment } from './from-environment.ts'
import { watchStarts } from './temporal.ts'

/** The API with fault points. */
const at = fromEnvironment(process.env)
startApi(({ db, temporal }) => {
  watchDatabase(db, at)
  watchStarts(temporal, at)
})
