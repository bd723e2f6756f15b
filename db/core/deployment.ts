import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../../domain/integration.ts'
import type { ConnectedDatabase, Database } from './connect.ts'
import { OtherEnvironment, refuseOtherEnvironment } from './environment.ts'

/** Pause between two attempts while the database does not respond or is not migrated, ms. */
export const RETRY_MS = 250

/**
 * A database serves one environment: the first one that migrates it. The same PSP account id exists in test and in live
 * mode, so the identity of a dispute would be ambiguous in a database that serves both.
 * @throws OtherEnvironment
 */
export async function claimEnvironment(
  db: Database,
  environment: Environment,
  { compresses }: { compresses: boolean },
): Promise<void> {
  await db
    .insertInto('deployment')
    .values({ environment, compresses })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { environment: stamped } = await db.selectFrom('deployment').select('environment').executeTakeFirstOrThrow()
  if (stamped !== environment) throw new OtherEnvironment(stamped, environment)
}

/** Whether objects of PSPs are compressed before they are sealed. Version 1.0.0 can't open such texts. */
export async function compressesRaw(db: Database): Promise<boolean> {
  const row = await db.selectFrom('deployment').select('compresses').executeTakeFirst()
  return row?.compresses ?? false
}

/** Of objects that are stored from now on; stored ones stay as they are, and all can be read. @returns the former value */
export async function setCompressesRaw(db: Database, compresses: boolean): Promise<boolean> {
  const before = await compressesRaw(db)
  await db.updateTable('deployment').set({ compresses }).execute()
  return before
}

/** Called by each process at start: waits until the database responds and is migrated. @throws OtherEnvironment */
export async function confirmEnvironment({ pool }: ConnectedDatabase, environment: Environment): Promise<void> {
  for (;;) {
    try {
      if (await refuseOtherEnvironment(pool, environment)) return
    } catch (error) {
      if (error instanceof OtherEnvironment) throw error
    }
    await sleep(RETRY_MS, undefined, { ref: false })
  }
}
