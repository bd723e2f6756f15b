import { sql } from 'kysely'
import { changeSettings } from '../../../db/merchants/account-settings.ts'
import { until } from '../../harness/until.ts'
import { startTestbed, type Testbed } from '../testbed/prepare.ts'
import type { AdapterName } from '../testbed/psps.ts'
import type { PackageCell } from './package-cells.ts'

/**
 * What the play `fraud_cnp` requires, and an activity log, which answers the claim. No e-mail address: the PSP reports
 * another one, and the two would contradict each other.
 */
const POINTS = {
  transactionOrderIpAddress: '203.0.113.7',
  transactionOrderDeviceId: 'device-1',
  transactionOrderItemsProductDescription: 'Music plan',
  accessActivityLog: 'Signed in from 203.0.113.7 with device-1.',
}
/** Disputes are due in 200 hours: their data windows are closed, and the policy's time has come. */
const SETTINGS = {
  dataWindowHours: 300,
  automaticSubmission: { mode: 'auto', hoursBeforeDue: 240, minCompleteness: 0 },
}

/** An environment in which every chargeback has its package and would be submitted, if it were not held back. */
export async function preparePackages(groups: readonly PackageCell[][]): Promise<Testbed> {
  const cells = groups.flat()
  const ofOneSeed = cells.filter(({ seed }) => seed === cells[0]?.seed)
  const disputes: Partial<Record<AdapterName, number>> = {}
  for (const { adapter } of ofOneSeed) disputes[adapter] = (disputes[adapter] ?? 0) + 1
  const testbed = await startTestbed({ disputes })
  try {
    const { db, accountId } = testbed.stack
    await sql`update chargeback set automatic_hold = true`.execute(db)
    await changeSettings(db, accountId, SETTINGS)
    const ids = (await db.selectFrom('chargeback').select('id').execute()).map(({ id }) => id)
    for (const id of ids) await decide(testbed, id)
    await allBuilt(testbed, ids)
    for (const id of ids) {
      const { body } = await testbed.stack.call('GET', `/chargebacks/${id}/evidence/draft`)
      const blockedBy = JSON.stringify(body.automatic?.blockedBy)
      if (blockedBy !== '["held"]') throw new Error(`the package of ${id} can't be submitted: ${blockedBy}`)
    }
    return testbed
  } catch (error) {
    await testbed[Symbol.asyncDispose]()
    throw error
  }
}

async function decide(testbed: Testbed, id: string): Promise<void> {
  const { status, body } = await testbed.stack.call('PATCH', `/chargebacks/${id}/should-fight`, { shouldFight: true })
  if (status !== 201) throw new Error(`not decided: ${JSON.stringify(body)}`)
  await changeData(testbed, id, POINTS)
}

/** Changes data, and lets half a minute pass for the sweep. */
export async function changeData({ stack }: Testbed, id: string, points: object): Promise<void> {
  const { status, body } = await stack.call('PATCH', `/chargebacks/${id}`, points)
  if (status !== 201) throw new Error(`no data: ${JSON.stringify(body)}`)
  await sql`update chargeback set package_at = null, package_wanted_at = now() - interval '1 minute' where id = ${id}`.execute(
    stack.db,
  )
}

/** Waits until no change of them is without a package. @throws on a time-out */
export async function allBuilt({ stack }: Testbed, ids: readonly string[], timeoutMs = 240_000): Promise<void> {
  const waiting = async () => {
    const { rows } = await sql<{ id: string }>`
      select id from chargeback c where id = any(${[...ids]}::uuid[])
        and (package_at is null or package_wanted_at > package_at)`.execute(stack.db)
    return rows.map(({ id }) => id)
  }
  await until('every package is built', waiting, { holds: (left) => left.length === 0, timeoutMs })
}
