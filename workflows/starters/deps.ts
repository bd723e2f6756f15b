import type { Client } from '@temporalio/client'
import type { Database } from '../../db/core/connect.ts'
import type { Polling } from './schedules.ts'

/** Dependencies of the starters. */
export interface DispatchDeps {
  db: Database
  temporal: Client
  polling: Polling
  log: { warn(fields: object, message: string): void }
  now?(): Date
}
