import { z } from '@hono/zod-openapi'
import { dateTime } from '../../http/shapes.ts'

const TYPES = {
  postingDate: 'postingDate',
  dueDate: 'dueDate',
  posting_date: 'postingDate',
  due_date: 'dueDate',
} as const
type Spelling = keyof typeof TYPES

/** Fields that deactivations of merchants and of integrations share. */
export const deactivationFields = {
  deactivationType: z.enum(Object.keys(TYPES) as [Spelling, ...Spelling[]]).openapi({
    description:
      'Which date of a chargeback is compared with deactivationDate. `posting_date` is a synonym of `postingDate`, ' +
      '`due_date` of `dueDate`.',
    example: 'postingDate',
  }),
  deactivationDate: dateTime.openapi({
    description:
      'When it takes effect; a date that has passed takes effect at once. Chargebacks posted (or due) on or after it ' +
      'stay readable and are no longer handled. It can be moved by another request until it has come, then it is final.',
    example: '2026-12-31T00:00:00Z',
  }),
}

export const toDeactivation = (body: { deactivationType: Spelling; deactivationDate: Date }) => ({
  type: TYPES[body.deactivationType],
  date: body.deactivationDate,
})
