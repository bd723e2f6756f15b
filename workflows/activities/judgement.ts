import type { Connection, Deactivation } from '../../db/connections.ts'
import type { StoredChargeback } from '../../db/ingest.ts'
import { accountSettings } from '../../domain/account-settings.ts'
import { assess } from '../../domain/assessment.ts'
import type { ChargebackFacts, LifecycleStage, PspStatus, ReasonGroup, Status } from '../../domain/chargeback.ts'
import { decideStatus } from '../../domain/handling.ts'

/** The rules of the domain, with what integration, merchant and account say. */

export interface Deciding {
  connection: Connection
  now: Date
  stored: Pick<
    StoredChargeback,
    'status' | 'statusReason' | 'pspStatus' | 'lifecycleStage' | 'round' | 'shouldFight' | 'accepted' | 'submitted'
  > | null
  ratio: number
  dueDate: Date | null
  postingDate: Date | null
  pspStatus: string
  lifecycleStage: string
}

/** Where the chargeback belongs now. */
export function decide(input: Deciding): { status: Status; reason: string; round: number } {
  const { connection, stored } = input
  const settings = accountSettings(connection.settings)
  return decideStatus({
    now: input.now,
    current: stored && {
      status: stored.status as Status,
      statusReason: stored.statusReason,
      pspStatus: stored.pspStatus as PspStatus,
      lifecycleStage: stored.lifecycleStage as LifecycleStage,
      round: stored.round,
    },
    pspStatus: input.pspStatus as PspStatus,
    lifecycleStage: input.lifecycleStage as LifecycleStage,
    dueDate: input.dueDate,
    postingDate: input.postingDate,
    enrichmentRatio: input.ratio,
    shouldFight: stored?.shouldFight ?? null,
    accepted: stored?.accepted ?? false,
    submitted: stored?.submitted ?? false,
    outOfScope: null,
    live: { goLiveDate: connection.goLiveDate, waits: connection.goLiveWaits },
    deactivation: earlier(connection.integrationDeactivation, connection.merchantDeactivation),
    represent: settings.represent,
    threshold: settings.enrichmentThreshold,
    dataWindowHours: settings.dataWindowHours,
  })
}

const earlier = (one: Deactivation | null, other: Deactivation | null) =>
  one && other ? (one.date < other.date ? one : other) : (one ?? other)

export interface Judging {
  connection: Connection
  status: Status
  pspStatus: PspStatus
  reasonGroup: ReasonGroup
  cardScheme: ChargebackFacts['cardScheme']
  lifecycleStage: LifecycleStage
  amountMinor: bigint
  amountExponent: number
  currency: string
  present: readonly string[]
  dueDate: Date | null
  now: Date
}

/** Chance and advice, for chargebacks that can still be answered. */
export function judge(input: Judging): ReturnType<typeof assess> {
  if (input.status !== 'waiting_for_data' && input.status !== 'building_evidence') return null
  const { dataWindowHours } = accountSettings(input.connection.settings)
  return assess({ ...input, dataWindowHours, closedCases: { won: 0, lost: 0 } })
}
