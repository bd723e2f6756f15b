import type { TextTable } from '../../domain/evidence/texts/text-table.ts'
import { ID_LENGTH, MAX_IDS, NOTES, type TextField } from './evidence-limits.ts'
import { orphans } from './plan.ts'

/** What fills PayPal's text fields: all that has no field of its own is in the notes. */
export const TEXT_TABLE: TextTable<TextField> = {
  fields: {
    notes: [{ summary: NOTES }],
    carrier_name: [{ fact: 'shippingCarrier' }],
    tracking_number: [{ ids: 'shippingTrackingNumber', count: MAX_IDS.tracking_number, each: ID_LENGTH }],
    refund_ids: [{ ids: 'refundId', count: MAX_IDS.refund_ids, each: ID_LENGTH }],
  },
  refused: orphans,
}
