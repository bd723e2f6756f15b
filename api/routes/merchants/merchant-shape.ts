import { z } from '@hono/zod-openapi'
import { MERCHANT_STATUSES } from '../../../domain/accounts/merchant-status.ts'
import { ids } from '../../http/shapes.ts'

/** A merchant as clients see it. */
export const merchant = z
  .object({
    merchantName: z.string().openapi({ description: 'Name of the merchant.' }),
    referenceId: z.string().openapi({ description: 'What the header reference-account-id takes.' }),
    status: z.enum(MERCHANT_STATUSES).openapi({ description: 'Derived from dates and integrations at each read.' }),
    merchantUuid: ids.merchant,
  })
  .openapi('Merchant')

export const exampleMerchant = {
  merchantName: 'Demo Shop',
  referenceId: 'demo-shop',
  status: 'Active',
  merchantUuid: '0198c5a4-2222-7d60-9a55-2f4b1f6f7d10',
}
