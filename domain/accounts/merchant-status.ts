import type { IntegrationStatus } from '../integration.ts'

/** A merchant's overall status, in the interface's order. Derived on every read, never stored. */
export const MERCHANT_STATUSES = [
  'SetupIncomplete',
  'Active',
  'ScheduledForActivation',
  'Inactive',
  'IntegrationError',
  'ReadyAwaitingGoLiveDate',
  'ReadyScheduledGoLiveDate',
  'AllIntegrationDown',
  'AllIntegrationValidate',
  'PartiallyActiveByError',
  'PartiallyActiveByValidation',
] as const
export type MerchantStatus = (typeof MERCHANT_STATUSES)[number]

export interface MerchantStatusInput {
  now: Date
  activationDate: Date | null
  deactivationDate: Date | null
  integrations: readonly {
    status: IntegrationStatus
    /** Null without `goLiveWaits`: live as soon as it is verified. */
    goLiveDate: Date | null
    /** Waits for the operator to set a go-live date. */
    goLiveWaits: boolean
  }[]
}

const WAITS_FOR_ACTIVATION: readonly MerchantStatus[] = [
  'Active',
  'ReadyScheduledGoLiveDate',
  'ReadyAwaitingGoLiveDate',
]

/** The first matching row of the table in docs/interface.md#merchant-status. */
export function merchantStatus(input: MerchantStatusInput): MerchantStatus {
  const { now, activationDate, deactivationDate } = input
  if (deactivationDate && now >= deactivationDate) return 'Inactive'
  const status = statusOfIntegrations(input)
  const early = activationDate !== null && now < activationDate
  return early && WAITS_FOR_ACTIVATION.includes(status) ? 'ScheduledForActivation' : status
}

function statusOfIntegrations({ now, integrations }: MerchantStatusInput): MerchantStatus {
  const used = integrations.filter((one) => one.status !== 'INACTIVE')
  if (used.length === 0) return 'SetupIncomplete'
  const failed = used.filter((one) => one.status === 'FAILED').length
  const pending = used.filter((one) => one.status === 'PENDING').length
  if (failed === used.length) return failed === 1 ? 'IntegrationError' : 'AllIntegrationDown'
  if (pending === used.length) return 'AllIntegrationValidate'

  const successful = used.filter((one) => one.status === 'SUCCESSFUL')
  if (successful.some((one) => !one.goLiveWaits && (one.goLiveDate === null || one.goLiveDate <= now))) {
    if (failed > 0) return 'PartiallyActiveByError'
    return pending > 0 ? 'PartiallyActiveByValidation' : 'Active'
  }
  if (successful.some((one) => one.goLiveDate !== null && one.goLiveDate > now)) return 'ReadyScheduledGoLiveDate'
  return successful.length > 0 ? 'ReadyAwaitingGoLiveDate' : 'SetupIncomplete'
}
