import { z } from '@hono/zod-openapi'

const count = (description: string) => z.number().int().min(0).openapi({ description })
const money = (description: string) => z.number().openapi({ description })
const rate = (of: string) =>
  z
    .number()
    .min(0)
    .max(1)
    .optional()
    .openapi({ description: `Share won of the ${of} that the PSP decided; a split one counts half. Absent before.` })

const amounts = z
  .object({
    currency: z.string().openapi({ description: 'ISO 4217. Currencies are never added to each other.' }),
    amount: money('Of all, in units of the currency.'),
    openAmount: money('Of those that the PSP has not decided: the value at risk.'),
    wonAmount: money('Of those won.'),
    lostAmount: money('Of those lost.'),
    splitAmount: money('Of those split, whole.'),
    winRate: rate('amount'),
  })
  .openapi('SummaryAmounts')

const group = z
  .object({
    psp: z.string().optional().openapi({ description: 'With `by=psp`.' }),
    currency: z.string().optional().openapi({ description: 'With `by=currency`.' }),
    reasonGroup: z.string().optional().openapi({ description: 'With `by=reasonGroup`.' }),
    status: z.string().optional().openapi({ description: 'With `by=status`.' }),
    pspStatus: z.string().optional().openapi({ description: 'With `by=pspStatus`.' }),
    lifecycleStage: z.string().optional().openapi({ description: 'With `by=lifecycleStage`.' }),
    month: z.string().optional().openapi({
      description: 'With `by=month`: of the posting date, UTC. Absent for chargebacks without one.',
      example: '2026-01',
    }),
    chargebacks: count('Number of chargebacks.'),
    open: count('Not decided by the PSP.'),
    won: count('Won.'),
    lost: count('Lost, accepted ones included.'),
    split: count('Split.'),
    winRate: rate('chargebacks'),
    medianDaysToDecision: z.number().int().min(0).optional().openapi({
      description: 'Days from posting to decision: exact below 14, from then on the middle of seven days.',
    }),
    amounts: z.array(amounts).openapi({ description: 'Amounts by currency.' }),
  })
  .openapi('SummaryGroup')

const dueWeek = z
  .object({
    week: z.string().optional().openapi({
      format: 'date',
      description: 'Monday of the week of the due date, UTC. Absent for chargebacks without one.',
    }),
    currency: z.string().openapi({ description: 'ISO 4217.' }),
    chargebacks: count('Chargebacks that the PSP needs a response to.'),
    amount: money('Their value at risk, in units of the currency.'),
  })
  .openapi('SummaryDueWeek')

export const summary = z
  .object({
    groups: z.array(group).openapi({ description: 'In the order of what they are grouped by.' }),
    dueWeeks: z
      .array(dueWeek)
      .openapi({ description: 'Value at risk by the week of the due date, over all groups. Earliest first.' }),
  })
  .openapi('Summary')

export const exampleSummary = {
  groups: [
    {
      ...{ chargebacks: 120, open: 14, won: 51, lost: 55, split: 0 },
      ...{ winRate: 0.4811, medianDaysToDecision: 45 },
      amounts: [
        {
          ...{ currency: 'EUR', amount: 6120.5, openAmount: 802.2, wonAmount: 2900, lostAmount: 2418.3 },
          ...{ splitAmount: 0, winRate: 0.5453 },
        },
      ],
    },
  ],
  dueWeeks: [{ week: '2026-02-02', currency: 'EUR', chargebacks: 9, amount: 512.4 }],
}
