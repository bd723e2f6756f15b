import { z } from '@hono/zod-openapi'
import { BLOCKERS } from '../../../domain/evidence/package/blockers.ts'
import { PLAY_IDS } from '../../../domain/evidence/playbooks/playbook.ts'
import { envelope, timestamp } from '../../http/shapes.ts'

const policyFields = {
  mode: z.enum(['manual', 'auto']).openapi({ description: '`auto`: Recoup submits the evidence that it built.' }),
  hoursBeforeDue: z
    .number()
    .min(30)
    .max(240)
    .openapi({ description: 'Hours before the due date at which it submits, 30 to 240.' }),
  minCompleteness: z
    .number()
    .min(0)
    .max(1)
    .openapi({ description: 'Smallest completeness of the evidence, 0 to 1. Less waits for a person.' }),
  minAmount: z.record(z.string().regex(/^[A-Z]{3}$/, 'Must be an ISO 4217 code'), z.number().min(0)).openapi({
    description: 'Smallest amounts by currency, in its units; other currencies have none.',
    example: { EUR: 20 },
  }),
  plays: z
    .array(z.enum(PLAY_IDS))
    .min(1)
    .max(PLAY_IDS.length)
    .openapi({ description: 'Only chargebacks of these playbooks. Absent: of all.', example: ['not_received'] }),
}

/** The merchant's own part of the policy. */
const ownPolicy = z
  .strictObject(policyFields)
  .partial()
  .openapi('AutomaticSubmissionSettings', {
    description: 'What is absent is the account’s. `{}`: the merchant has nothing of its own.',
    example: { mode: 'auto', hoursBeforeDue: 48, minCompleteness: 0.8 },
  })

export const settingsBody = z.strictObject({ automaticSubmission: ownPolicy }).openapi('SettingsChange')

const policy = z
  .object({ ...policyFields, plays: policyFields.plays.optional() })
  .openapi('AutomaticSubmission', { description: 'The policy that applies to the merchant.' })

export const settingsRead = z
  .object({
    ...envelope,
    data: z
      .object({
        automaticSubmission: policy,
        ownAutomaticSubmission: ownPolicy,
        represent: z
          .boolean()
          .openapi({ description: 'Whether chargebacks are fought unless a client decides otherwise. The account’s.' }),
        enrichmentThreshold: z
          .number()
          .openapi({ description: 'Share of the data, 0 to 1, from which evidence is built. The account’s.' }),
        dataWindowHours: z.number().openapi({
          description: 'Hours before the due date at which evidence is built from the data present. The account’s.',
        }),
      })
      .openapi({ description: 'What Recoup does by itself for the merchant.' }),
  })
  .openapi('SettingsRead')

const total = {
  count: z.int().openapi({ description: 'Number of chargebacks.' }),
  amounts: z
    .array(
      z.object({
        currency: z.string().openapi({ description: 'Currency of the sum.' }),
        amount: z.string().openapi({ description: 'Sum in units of the currency, a decimal as text.' }),
      }),
    )
    .openapi({ description: 'One sum for each currency; nothing is converted.' }),
}

export const settingsPreview = z
  .object({
    ...envelope,
    data: z
      .object({
        submits: z
          .object({
            ...total,
            nextAt: timestamp.optional().openapi({ description: 'When the first of them would be submitted.' }),
          })
          .openapi({ description: 'Would be submitted, if nothing about them changes.' }),
        blocked: z
          .array(
            z.object({
              code: z
                .enum(BLOCKERS)
                .openapi({ description: 'What stops them first, as in `blockedBy` of the evidence draft.' }),
              ...total,
            }),
          )
          .openapi({ description: 'Would wait for a person, or for data; most of them first.' }),
        complete: z.boolean().openapi({
          description: 'False when more wait for a response than are looked at: then the next 1,000 due are.',
        }),
      })
      .openapi({ description: 'The chargebacks that wait for a response and have a due date; each is counted once.' }),
  })
  .openapi('SettingsPreview')

export const settingsExample = {
  status: 200,
  message: 'Settings retrieved',
  data: {
    automaticSubmission: { mode: 'manual', hoursBeforeDue: 48, minCompleteness: 0.7, minAmount: {} },
    ownAutomaticSubmission: {},
    represent: true,
    enrichmentThreshold: 0.8,
    dataWindowHours: 72,
  },
}

export const previewExample = {
  status: 200,
  message: 'Settings preview',
  data: {
    submits: { count: 0, amounts: [] },
    blocked: [{ code: 'completeness', count: 3, amounts: [{ currency: 'EUR', amount: '90' }] }],
    complete: true,
  },
}
