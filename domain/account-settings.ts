import { z } from 'zod'
import { assessmentSettings } from './assessment-settings.ts'
import { DATA_WINDOW_HOURS } from './deadlines.ts'

/** What an account may set for itself; everything has a documented default. */
export interface AccountSettings {
  /** Contract default: whether chargebacks are represented unless a client decides otherwise. */
  represent: boolean
  /** Enrichment ratio (0 to 1) from which evidence is built. */
  enrichmentThreshold: number
  /** Hours before the due date at which evidence is built from what there is. */
  dataWindowHours: number
}

export const ACCOUNT_DEFAULTS: AccountSettings = {
  represent: true,
  enrichmentThreshold: 0.8,
  dataWindowHours: DATA_WINDOW_HOURS,
}

/** Changes of an account's settings: null takes one back to its default. */
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
  })
  .partial()

/** The account's own settings over the defaults; values of another type are ignored. */
export function accountSettings(own: Readonly<Record<string, unknown>>): AccountSettings {
  const settings: Record<string, unknown> = { ...ACCOUNT_DEFAULTS }
  for (const [name, value] of Object.entries(own))
    if (name in settings && typeof value === typeof settings[name]) settings[name] = value
  return settings as unknown as AccountSettings
}

/** Names of the data points that the account has listed as its own; null when it takes any. */
export function allowedDataPoints(own: Readonly<Record<string, unknown>>): string[] | null {
  const { dataPoints } = own
  return Array.isArray(dataPoints) ? dataPoints.filter((name) => typeof name === 'string') : null
}
