import { z } from 'zod'
import { latestReadingHours } from '../../deadlines.ts'
import { PLAY_IDS, type PlayId } from '../playbooks/playbook.ts'

const HOUR_MS = 3_600_000
/** A package needs time between the end of the data window and its submission. */
export const HOURS_TO_BUILD = 6
/** Chargebacks that are due at the same hour are not submitted at the same second. */
const JITTER_HOURS = 2
/** Hours before the submission at which what prevents it is told: a day to answer by hand. */
const TOLD_HOURS = 24

/** When Recoup submits the evidence that it built without being asked. A merchant's settings go before the account's. */
export interface AutomaticPolicy {
  mode: 'manual' | 'auto'
  /** Hours before the due date, 30 to 240. A command may take 24 hours, and a person needs a day to answer instead. */
  hoursBeforeDue: number
  /** 0 to 1. */
  minCompleteness: number
  /** Smallest amounts in major units, by currency; other currencies have no limit. */
  minAmount: Readonly<Record<string, number>>
  /** Null: every play. */
  plays: readonly PlayId[] | null
}

export const AUTOMATIC_DEFAULTS: AutomaticPolicy = {
  ...{ mode: 'manual', hoursBeforeDue: 48, minCompleteness: 0.7, minAmount: {}, plays: null },
}

/** Settings of an account or a merchant; what is absent is the account's, then the default. */
export const automaticSettings = z
  .strictObject({
    mode: z.enum(['manual', 'auto']),
    hoursBeforeDue: z.number().min(30).max(240),
    minCompleteness: z.number().min(0).max(1),
    minAmount: z.record(z.string().regex(/^[A-Z]{3}$/, 'Must be an ISO 4217 code'), z.number().min(0)),
    plays: z.array(z.enum(PLAY_IDS)).min(1),
  })
  .partial()

/** Invalid settings are ignored as a whole: nothing is submitted by a policy that nobody can read. */
export function automaticPolicy(account: unknown, merchant: unknown = null): AutomaticPolicy {
  const [ofAccount, ofMerchant] = [account, merchant].map((own) => automaticSettings.safeParse(own ?? {}))
  if (!ofAccount?.success || !ofMerchant?.success) return AUTOMATIC_DEFAULTS
  return { ...AUTOMATIC_DEFAULTS, ...ofAccount.data, ...ofMerchant.data } as AutomaticPolicy
}

/** Why the policy can't work with the account's data window, as a sentence; null when it can. */
export function faultOfPolicy({ mode, hoursBeforeDue }: AutomaticPolicy, dataWindowHours: number): string | null {
  if (mode === 'manual' || hoursBeforeDue <= dataWindowHours - HOURS_TO_BUILD) return null
  return (
    `hoursBeforeDue is ${hoursBeforeDue}, but evidence is built ${dataWindowHours} hours before the due date ` +
    `(dataWindowHours): make it ${dataWindowHours - HOURS_TO_BUILD} at most, or the data window longer.`
  )
}

/** Whatever the policy: more hours before the due date than this, nothing is submitted or told. */
export const automaticHorizonHours = (hoursBeforeDue: number, psp?: string): number =>
  hoursBeforeDue + JITTER_HOURS + TOLD_HOURS + latestReadingHours(psp)

export interface AutomaticTimes {
  /** What prevents the submission is told. */
  toldAt: Date
  submittedAt: Date
}

/** @param id of the chargeback: the same one always has the same times. Null without a due date. */
export function automaticTimes(
  { id, psp, dueDate }: { id: string; psp: string; dueDate: Date | null },
  { hoursBeforeDue }: AutomaticPolicy,
): AutomaticTimes | null {
  if (!dueDate) return null
  const share = Number.parseInt(id.slice(-8), 16) / 2 ** 32
  const hours = latestReadingHours(psp) + hoursBeforeDue + share * JITTER_HOURS
  const submittedAt = new Date(dueDate.getTime() - hours * HOUR_MS)
  return { submittedAt, toldAt: new Date(submittedAt.getTime() - TOLD_HOURS * HOUR_MS) }
}
