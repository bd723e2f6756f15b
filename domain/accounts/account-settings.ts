import { z } from 'zod'
import { assessmentSettings } from '../assessment/settings.ts'
import { DATA_WINDOW_HOURS } from '../deadlines.ts'
import { automaticSettings } from '../evidence/package/automatic-policy.ts'
import { PAYLOADS, type Payload } from '../webhooks/endpoint.ts'

/** Settings of an account; each has a documented default. */
export interface AccountSettings {
  /** Whether chargebacks are represented by default, unless a client decides otherwise. */
  represent: boolean
  /** Enrichment ratio (0 to 1) from which evidence is built. */
  enrichmentThreshold: number
  /** Hours before the due date at which evidence is built from the data present. */
  dataWindowHours: number
  /** Hours before the due date of an open chargeback at which `chargeback.due_soon` is first sent; 0 = never. */
  reminderHours: number
  /** The same for the last time. */
  lastReminderHours: number
  /** Bytes of all stored files together. */
  fileBytes: number
  /** Different files that submissions and recent dry runs of one chargeback may name. */
  filesPerChargeback: number
  /** Days that a file without a submission is kept. */
  unusedFileDays: number
  /** Days that the files of submissions are kept after the PSP decided the last of their chargebacks. */
  closedFileDays: number
  /** Days that the PSP's own objects are kept after it decided the chargeback. */
  rawObjectDays: number
  /** Days that a notification which only triggered a read is kept; PSPs repeat theirs for a few days. */
  notificationDays: number
  /** Days that an untranslatable object is kept after the PSP last returned it. */
  quarantineDays: number
  /** Days that an object which a client posted to the sandbox is kept after it was processed, or waited for its chargeback. */
  postedDays: number
  /** Hours that the response to an Idempotency-Key is kept. */
  idempotencyHours: number
  /** `thin`: no webhook of the account contains more than ids and changed fields. */
  webhookPayload: Payload
}

export const ACCOUNT_DEFAULTS: AccountSettings = {
  represent: true,
  enrichmentThreshold: 0.8,
  dataWindowHours: DATA_WINDOW_HOURS,
  reminderHours: 72,
  lastReminderHours: 24,
  fileBytes: 10 * 1024 ** 3,
  filesPerChargeback: 50,
  unusedFileDays: 180,
  closedFileDays: 548,
  rawObjectDays: 2_557,
  notificationDays: 30,
  quarantineDays: 730,
  postedDays: 180,
  idempotencyHours: 24,
  webhookPayload: 'full',
}

/** Settings that affect decisions; the others are about storage. */
export const DECIDING_SETTINGS: readonly string[] = [
  'represent',
  'enrichmentThreshold',
  'dataWindowHours',
  'assessment',
]

/** A hundred years: unlimited. */
const LONGEST_DAYS = 36_500
const days = (least: number) => z.int().min(least).max(LONGEST_DAYS).nullable()

const reminderHours = z
  .int()
  .min(0)
  .max(24 * 60)
  .nullable()

/** Changes of an account's settings: null restores a default. */
export const settingsChanges = z
  .strictObject({
    represent: z.boolean().nullable(),
    enrichmentThreshold: z.number().min(0).max(1).nullable(),
    dataWindowHours: z
      .number()
      .min(0)
      .max(24 * 60)
      .nullable(),
    assessment: assessmentSettings.nullable(),
    automaticSubmission: automaticSettings.nullable(),
    reminderHours,
    lastReminderHours: reminderHours,
    fileBytes: z.int().min(0).nullable(),
    filesPerChargeback: z.int().min(1).max(10_000).nullable(),
    unusedFileDays: days(1),
    // A decided dispute is read again for 180 days, in case it is reopened.
    closedFileDays: days(180),
    rawObjectDays: days(180),
    notificationDays: days(7),
    quarantineDays: days(30),
    postedDays: days(30),
    idempotencyHours: z.int().min(24).max(720).nullable(),
    webhookPayload: z.enum(PAYLOADS).nullable(),
  })
  .partial()

/** The account's own settings over the defaults; values of another type are ignored. */
export function accountSettings(own: Readonly<Record<string, unknown>>): AccountSettings {
  const settings: Record<string, unknown> = { ...ACCOUNT_DEFAULTS }
  for (const [name, value] of Object.entries(own))
    if (name in settings && typeof value === typeof settings[name]) settings[name] = value
  return settings as unknown as AccountSettings
}

/** Data point names that the account allows; null when it allows any. */
export function allowedDataPoints(own: Readonly<Record<string, unknown>>): string[] | null {
  const { dataPoints } = own
  return Array.isArray(dataPoints) ? dataPoints.filter((name) => typeof name === 'string') : null
}
