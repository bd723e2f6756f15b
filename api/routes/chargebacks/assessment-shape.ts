import { z } from '@hono/zod-openapi'
import type { Explanation } from '../../../domain/assessment/explanation.ts'
import { STATUSES } from '../../../domain/chargeback.ts'
import { timestamp } from '../../http/shapes.ts'
import { scopeDecision } from './chargeback-shape.ts'

const why = z.string().openapi({ description: 'Why, in a sentence.' })
const list = (description: string) => z.array(z.string()).openapi({ description })

export const assessment = z
  .object({
    winProbability: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .openapi({ description: 'Percent, as the chargeback has it.' }),
    recommendation: z
      .enum(['Fight', 'Accept'])
      .optional()
      .openapi({ description: 'The roiRecommendation of the chargeback.' }),
    why: why.openapi({ description: 'What the recommendation comes from, or why there is none.' }),
    reasons: z
      .array(
        z.object({
          name: z.string().openapi({ description: 'Stable name of the reason.' }),
          effect: z.number().openapi({ description: 'Percentage points, negative where it lowers the probability.' }),
          why,
        }),
      )
      .openapi({ description: 'What moved the probability: percentage points, which add up to it.' }),
    missingDataPoints: list(
      'Names of what the reason group asks for and is not there, the most useful first, then of what would answer the claim, ' +
        'required ones first: data points that PATCH ' +
        '/chargebacks/{id} takes, or fields of POST /transactions where a transaction can be joined.',
    ),
    compellingEvidence: z
      .object({
        applies: z.boolean().openapi({ description: 'Whether it is a Visa fraud dispute of condition 10.4.' }),
        eligible: z.boolean().openapi({ description: 'Whether two earlier transactions are enough evidence.' }),
        why,
        matched: list('Names of what is equal in all three transactions.'),
        transactionIds: list('The two earlier transactions.'),
        missing: list('What is still needed.'),
      })
      .openapi({ description: 'Visa compelling evidence 3.0, from the records of POST /transactions.' }),
    scope: z
      .object({
        ...scopeDecision,
        why,
      })
      .openapi({ description: 'Whether the chargeback is in scope, and why.' }),
    deadline: z
      .object({
        state: z
          .enum(['open', 'data_window_closed', 'overdue', 'none'])
          .openapi({ description: 'Whether there is time left to collect data and to answer.' }),
        dueDate: timestamp.optional().openapi({ description: 'When the chargeback is due.' }),
        dataWindowEnds: timestamp.optional().openapi({ description: 'When evidence is built from the data at hand.' }),
        why,
      })
      .openapi({ description: 'How much time there is.' }),
    handling: z
      .object({ status: z.enum(STATUSES).openapi({ description: 'Status in the service.' }), why })
      .openapi({ description: 'Why the status is what it is.' }),
  })
  .openapi('Assessment')

export const exampleAssessment = {
  winProbability: 46.9,
  recommendation: 'Fight',
  why: 'An answer is expected to bring more than it costs.',
  reasons: [
    { name: 'reason_group:fraud', effect: 19.8, why: 'Where answers to fraud disputes start.' },
    { name: 'data_points', effect: 9.2, why: 'The share of the data asked for that is there.' },
    { name: 'liability_shift', effect: 17.9, why: 'The issuer is liable for the payment.' },
  ],
  missingDataPoints: ['transactionOrderDeviceId', 'transactionOrderSteamId'],
  compellingEvidence: {
    applies: true,
    eligible: false,
    why: 'No two earlier transactions share enough with the disputed one.',
    matched: [],
    transactionIds: [],
    missing: ['1 more undisputed transaction on the same card, 120 to 365 days before the chargeback.'],
  },
  scope: { inScope: true, by: 'contract', why: 'The contract represents it by default.' },
  deadline: {
    state: 'open',
    dueDate: '2026-02-14T23:59:59.000Z',
    dataWindowEnds: '2026-02-11T23:59:59.000Z',
    why: 'There is time to collect more data.',
  },
  handling: { status: 'waiting_for_data', why: 'More data is needed to build evidence.' },
}

/** Unknown values are omitted. */
export function toAssessment(explained: Explanation): z.infer<typeof assessment> {
  const { winProbability, recommendation, deadline, ...rest } = explained
  const { dueDate, dataWindowEnds, ...times } = deadline
  return {
    ...(winProbability !== null && { winProbability }),
    ...(recommendation && { recommendation }),
    ...rest,
    deadline: {
      ...times,
      ...(dueDate && { dueDate: dueDate.toISOString() }),
      ...(dataWindowEnds && { dataWindowEnds: dataWindowEnds.toISOString() }),
    },
  }
}
