import { z } from '@hono/zod-openapi'
import { dateTime, text } from '../../http/shapes.ts'

/** A web address without user name and password. */
const isWebAddress = (value: string) => {
  if (!/^https?:\/\/[^\s/?#]/i.test(value) || /\s/.test(value) || !URL.canParse(value)) return false
  const { hostname, username, password } = new URL(value)
  return hostname !== '' && username === '' && password === ''
}

/** Values that the header reference-account-id can carry: a header allows no other characters, and is trimmed. */
const REFERENCE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/

/** Body of operation 13. Unknown keys are rejected by name. */
export const merchantBody = z
  .strictObject({
    merchantName: text(255).openapi({ description: 'Name of the merchant.', example: 'Demo Shop' }),
    websiteUrl: text(2048).refine(isWebAddress, 'Must be an http or https address').openapi({
      format: 'uri',
      description: 'Its website: http or https, without a user name.',
      example: 'https://shop.demo.example',
    }),
    email: z
      .email('Must be an e-mail address')
      .max(254)
      .openapi({ description: 'Of the contact person, who is stored sealed.', example: 'owner@demo.example' }),
    firstName: text(255).openapi({ description: 'Of the contact person.', example: 'Dana' }),
    lastName: text(255).openapi({ description: 'Of the contact person.', example: 'Owner' }),
    referenceId: text(255)
      .regex(REFERENCE, 'Must be printable ASCII characters without a space at either end')
      .optional()
      .openapi({
        description:
          'Your own name for the merchant, unique within the account, which the header reference-account-id takes. ' +
          'Omitted: the merchantUuid.',
        example: 'demo-shop',
      }),
    mcc: text(255).optional().openapi({ description: 'Merchant category code.', example: '5732' }),
    mccDescription: text(1000)
      .optional()
      .openapi({ description: 'The category in words.', example: 'Electronics stores' }),
    activationDate: dateTime.optional().openapi({
      description: 'While it is in the future, a merchant that would be active or ready is ScheduledForActivation.',
      example: '2026-12-01T00:00:00Z',
    }),
  })
  .openapi('MerchantCreation')
