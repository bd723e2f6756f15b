import type { ActivityDeps } from '../../../workflows/activities/deps.ts'
import { type Activities, createActivities } from '../../../workflows/activities/index.ts'
import { watchAdapters } from './adapters.ts'
import { watchActivities } from './attempt.ts'
import { watchDatabase } from './database.ts'
import type { AtFaultPoint } from './points.ts'

/** A worker's activities in the test's own process, with fault points around them and in their dependencies. */
export function activitiesWithFaultPoints(deps: ActivityDeps, at: AtFaultPoint): Activities {
  watchDatabase(deps.db, at)
  deps.adapterFor = watchAdapters(deps.adapterFor, at)
  return watchActivities(createActivities(deps), at)
}
