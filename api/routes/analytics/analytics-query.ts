import { z } from '@hono/zod-openapi'

const MONTH = /^(19|20)\d\d-(0[1-9]|1[0-2])$/

const month = (description: string) =>
  z
    .string()
    .regex(MONTH, 'Must be a month from 1900-01 to 2099-12, for example 2026-01')
    .optional()
    .openapi({ description, example: '2026-01' })

/** A range of months of the posting date. */
export const months = {
  startMonth: month('First month, included. Months are those of UTC.'),
  endMonth: month('Last month, included.'),
}

export const firstDay = (given: string) => `${given}-01`

const reversed = { path: ['startMonth'], message: 'Must not be above endMonth', when: () => true }

/** Months compare as text. */
export const MONTHS_ORDERED = [
  ({ startMonth, endMonth }: { startMonth?: string | undefined; endMonth?: string | undefined }) =>
    startMonth === undefined || endMonth === undefined || startMonth <= endMonth,
  reversed,
] as const
