import { z } from 'zod'
import { CARD_SCHEMES, LIFECYCLE_STAGES, REASON_GROUPS } from '../chargeback.ts'
import { ASSESSMENT_DEFAULTS, type AssessmentParameters, EVIDENCE_SIGNALS } from './defaults.ts'

/** A limit beyond any plausible value: ±10 is one in 22,000. */
const logOdds = z.number().min(-10).max(10)
const share = z.number().min(0).max(1)
const money = z.number().min(0).max(1_000_000)
const costs = z.strictObject({ fighting: money, escalation: money, floor: money })

/** Assessment settings of an account; defaults apply to the rest. */
export const assessmentSettings = z.strictObject({
  prior: z.partialRecord(z.enum(REASON_GROUPS), logOdds).optional(),
  scheme: z.partialRecord(z.enum(CARD_SCHEMES), logOdds).optional(),
  stage: z.partialRecord(z.enum(LIFECYCLE_STAGES), logOdds).optional(),
  data: logOdds.optional(),
  signals: z.partialRecord(z.enum(EVIDENCE_SIGNALS), logOdds).optional(),
  modelCases: z.number().min(1).max(1_000_000).optional(),
  feeShare: share.optional(),
  escalationShare: share.optional(),
  costs: z.record(z.string().regex(/^[A-Z]{3}$/, 'Must be an ISO 4217 code'), costs).optional(),
})

const merged = new WeakMap<object, AssessmentParameters>()

/** The account's parameters merged over the defaults; invalid settings are ignored as a whole. */
export function assessmentParameters(own: Readonly<Record<string, unknown>>): AssessmentParameters {
  const known = merged.get(own)
  if (known) return known
  const { data: given = {} } = assessmentSettings.safeParse(own.assessment ?? {})
  const defaults = ASSESSMENT_DEFAULTS
  const parameters = {
    ...defaults,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === 'number')),
    prior: { ...defaults.prior, ...given.prior },
    scheme: { ...defaults.scheme, ...given.scheme },
    stage: { ...defaults.stage, ...given.stage },
    signals: { ...defaults.signals, ...given.signals },
    costs: { ...defaults.costs, ...given.costs },
  }
  merged.set(own, parameters)
  return parameters
}
