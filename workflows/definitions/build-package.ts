import * as wf from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { BuildPackageInput } from '../contract.ts'
import * as profiles from './activity-profiles.ts'

/** Builds the evidence package of one chargeback. A build that keeps failing is recorded as refused. */
export async function buildPackage({ chargebackId }: BuildPackageInput): Promise<{ result: string }> {
  const building = wf.proxyActivities<Pick<Activities, 'buildPackage'>>(profiles.building)
  const { refusePackage } = wf.proxyActivities<Pick<Activities, 'refusePackage'>>(profiles.record)
  try {
    return await building.buildPackage({ chargebackId })
  } catch (error) {
    if (wf.isCancellation(error)) throw error
    return await refusePackage({ chargebackId })
  }
}
