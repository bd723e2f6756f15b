import type { Connection } from '../../../db/integrations/connections.ts'
import type { Lease } from '../../../db/polling/lease.ts'
import type { ActivityDeps } from '../deps.ts'
import type { AtPsp } from '../psp.ts'

/** A poll that holds the lease. */
export interface Polling {
  deps: ActivityDeps
  connection: Connection
  lease: Lease
  psp: AtPsp
}
