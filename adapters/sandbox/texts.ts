import type { TextTable } from '../../domain/evidence/texts/text-table.ts'
import type { TextField } from './evidence-limits.ts'

/** What fills the sandbox PSP's text fields. */
export const TEXT_TABLE: TextTable<TextField> = {
  fields: {
    explanation: [{ summary: 1_500 }],
    product_description: [{ fact: 'goods', most: 1_000 }],
    shipping_carrier: [{ fact: 'shippingCarrier' }],
    shipping_tracking_number: [{ ids: 'shippingTrackingNumber' }],
  },
}
