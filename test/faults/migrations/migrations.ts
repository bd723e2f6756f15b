import { connect } from '../../../db/core/connect.ts'
import { migrate, migrator, pendingMigrations } from '../../../db/core/migrate.ts'
import { createEmptyDatabase } from '../../harness/database.ts'
import type { SuiteOptions } from '../report/suite-options.ts'
import type { SuiteOutcome } from '../report/suite-outcome.ts'
import { fill } from './rows.ts'
import { startTraffic } from './traffic.ts'

/** The last migration before the rules for migrations. */
const BEFORE = '0014-operator-actions'
const LONGEST_MS = 1_000

/**
 * Migrates a database with a million rows in each large table while writers continue, and while a report locks the
 * tables for seconds, as a backup does. No statement of a writer may take more than a second.
 */
export async function migrateUnderLoad(options: SuiteOptions): Promise<SuiteOutcome[]> {
  const rows = options.reduced ? 20_000 : 1_000_000
  await using database = await createEmptyDatabase()
  const owner = connect(database.url, { scope: 'owner', max: 2, statementTimeoutMs: 0 })
  try {
    const { error } = await migrator(owner).migrateTo(BEFORE)
    if (error) throw error
    await fill(owner, rows)
    options.print?.(`${rows} rows of each`)
    const traffic = await startTraffic(database.url)
    const quiet = await traffic.longest(5_000)
    const began = Date.now()
    const applied = await migrate(owner, 'sandbox')
    const tookMs = Date.now() - began
    const busy = await traffic.longest(1_000)
    await traffic.stop()
    options.print?.(`${applied.join(', ')} in ${tookMs} ms`)
    const slowest = `the slowest of ${busy.statements} statements took ${busy.ms} ms (${busy.name}), ${quiet.ms} ms without migrations`
    const left = await pendingMigrations(owner)
    const faults = [
      ...(busy.ms > LONGEST_MS ? [slowest] : []),
      ...busy.errors,
      ...left.map((name) => `${name} was not applied`),
    ]
    for (const line of [slowest, ...faults]) options.print?.(line)
    const result = faults.length > 0 ? 'failed' : 'passed'
    return [{ name: `${rows} rows`, title: slowest, result, why: faults }]
  } finally {
    await owner.destroy()
  }
}
