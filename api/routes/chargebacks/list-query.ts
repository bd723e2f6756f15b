import { z } from '@hono/zod-openapi'
import { EXPANSIONS } from '../../../db/chargebacks/chargeback-list.ts'
import { SORTS } from '../../../db/chargebacks/list-order.ts'
import { LIFECYCLE_STAGES, PSP_STATUSES, PSPS, REASON_GROUPS, STATUSES } from '../../../domain/chargeback.ts'
import { dateTime, ordered, severalOf, severalWords, text } from '../../http/shapes.ts'

const score = (description: string) =>
  z
    .string()
    .regex(/^\d{1,3}(\.\d{1,20})?$/, 'Must be a number from 0 to 1')
    .refine((value) => Number(value) <= 1, 'Must be a number from 0 to 1')
    .optional()
    .openapi({ type: 'number', minimum: 0, maximum: 1, description })

const AMOUNT_WORDS = 'Must be an amount in units of the currency, for example 10.99'
const amount = (description: string) =>
  z
    .string()
    .regex(/^\d{1,15}(\.\d{1,4})?$/, AMOUNT_WORDS)
    .optional()
    .openapi({ type: 'number', minimum: 0, description: `${description} \`currency\` must name its currency.` })

const date = (description: string) => dateTime.optional().openapi({ description })

/** Filters that name words. */
export const wordFilters = {
  psp: severalOf(PSPS).openapi({ description: 'PSP in which the transaction was processed.' }),
  pspStatus: severalOf(PSP_STATUSES).openapi({ description: 'Status in the PSP.' }),
  status: severalOf(STATUSES).openapi({ description: 'Status in the service.' }),
  lifecycleStage: severalOf(LIFECYCLE_STAGES).openapi({ description: 'How far the dispute has gone.' }),
  reasonGroup: severalOf(REASON_GROUPS).openapi({ description: 'Group of the reason code.' }),
  currency: severalWords(/^[A-Z]{3}$/, 'Must be an ISO 4217 code, for example EUR').openapi({
    description: 'ISO 4217 currency of the amount.',
  }),
}

/** Filters of the list and of the export. */
export const filters = {
  startDate: date('Start of the range on the posting date, included.'),
  endDate: date('End of the range on the posting date, included.'),
  dueAfter: date('Start of the range on the due date, included.'),
  dueBefore: date('End of the range on the due date, included.'),
  chargebackId: text(255).optional().openapi({ description: 'Identifier set by the PSP.' }),
  ...wordFilters,
  minAmount: amount('Smallest amount.'),
  maxAmount: amount('Largest amount.'),
  inScope: z
    .enum(['true', 'false'], 'Must be true or false')
    .transform((value) => value === 'true')
    .optional()
    .openapi({ type: 'boolean', description: 'Whether rules and decisions leave it in scope.' }),
  recommendation: z.enum(['Fight', 'Accept']).optional().openapi({ description: 'The roiRecommendation.' }),
  search: text(255).optional().openapi({
    description: 'Its id, chargebackId, arn or transactionId, exactly; or the last four digits of the card.',
  }),
  minEnrichmentScore: score('Smallest enrichmentRatio.'),
  maxEnrichmentScore: score('Largest enrichmentRatio.'),
  pspStatusChangeStartDate: date('Start of the range on the change of the PSP status, included.'),
  pspStatusChangeEndDate: date('End of the range on the change of the PSP status, included.'),
}

export const sorting = {
  sort: z
    .enum(SORTS)
    .optional()
    .openapi({
      description:
        'Order, by this value and then by id; `-` is descending. Default: `-postingDate`. A chargeback without a posting ' +
        'date counts as the oldest, one without a due date as due the latest. Amounts compare within one `currency`.',
    }),
}

export const expand = severalOf(EXPANSIONS).openapi({
  description:
    'Adds fields: `scopeReason`, what decided whether it is in scope; `dueIn`, seconds until the due date, negative after it.',
})

interface Filtered {
  currency?: readonly string[] | undefined
  minAmount?: string | undefined
  maxAmount?: string | undefined
  sort?: string | undefined
}
const hasOneCurrency = ({ currency }: Filtered) => currency?.length === 1
const needsCurrency = (path: 'minAmount' | 'maxAmount' | 'sort', isGiven: (query: Filtered) => boolean) =>
  [
    (query: object) => !isGiven(query) || hasOneCurrency(query),
    {
      path: [path],
      message: 'Amounts compare within one currency: name it, for example currency=EUR',
      when: () => true,
    },
  ] as const

/** Rules between filters, each reported with the other errors. */
export const FILTER_RULES = [
  ordered('startDate', 'endDate'),
  ordered('dueAfter', 'dueBefore'),
  ordered('minAmount', 'maxAmount'),
  ordered('minEnrichmentScore', 'maxEnrichmentScore'),
  ordered('pspStatusChangeStartDate', 'pspStatusChangeEndDate'),
  needsCurrency('minAmount', (query) => query.minAmount !== undefined),
  needsCurrency('maxAmount', (query) => query.maxAmount !== undefined),
  needsCurrency('sort', ({ sort }) => sort === 'amount' || sort === '-amount'),
] as const

/** An object that follows the rules between filters. */
export const withFilterRules = <Shape extends z.ZodRawShape>(object: z.ZodObject<Shape>) =>
  FILTER_RULES.reduce((checked, [check, refusal]) => checked.refine(check as never, refusal as never), object)
