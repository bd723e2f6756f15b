import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../domain/integration.ts'
import type { Database } from './connect.ts'

/** The database serves another environment than this process is configured for. */
export class OtherEnvironment extends Error {
  override name = 'OtherEnvironment'

  constructor(database: string, process: Environment) {
    super(
      `The database belongs to the environment ${database}, and RECOUP_ENVIRONMENT is ${process}. ` +
        'Set RECOUP_ENVIRONMENT or DATABASE_URL so that they agree.',
    )
  }
}

/**
 * A database serves one environment: the first one that migrates it. The same PSP account id exists in test and in live
 * mode, so the identity of a dispute would be ambiguous in a database that serves both.
 * @throws OtherEnvironment
 */
export async function claimEnvironment(db: Database, environment: Environment): Promise<void> {
  await db
    .insertInto('deployment')
    .values({ environment })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await checkEnvironment(db, environment)
}

/** For each process at its start: waits until the database answers and has its tables. @throws OtherEnvironment */
export async function confirmEnvironment(db: Database, environment: Environment): Promise<void> {
  for (;;) {
    try {
      return await checkEnvironment(db, environment)
    } catch (error) {
      if (error instanceof OtherEnvironment) throw error
      await sleep(1_000, undefined, { ref: false })
    }
  }
}

/** A database that was never claimed fits every environment. @throws OtherEnvironment */
export async function checkEnvironment(db: Database, environment: Environment): Promise<void> {
  const claimed = await db.selectFrom('deployment').select('environment').executeTakeFirst()
  if (claimed && claimed.environment !== environment) throw new OtherEnvironment(claimed.environment, environment)
}
