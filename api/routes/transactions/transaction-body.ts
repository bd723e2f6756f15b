import { z } from '@hono/zod-openapi'
import { freeText, text } from '../../http/shapes.ts'

const MAX_CHARACTERS = 5_000
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/

const says = (description: string) => freeText(MAX_CHARACTERS).optional().openapi({ description })
const matching = (pattern: RegExp, words: string, description: string) =>
  z.string().regex(pattern, words).optional().openapi({ description })
const digits = (description: string) => matching(/^\d{4}$/, 'Must be four digits', description)
const email = (description: string) =>
  freeText(320)
    .regex(/^[^\s@"<>()[\]{},;:\\]{1,64}@[^\s@"<>()[\]{},;:\\/]{1,255}$/, 'Must be an e-mail address')
    .optional()
    .openapi({ description })

const isAddress = (value: string) => IPV4.test(value) || z.ipv6().safeParse(value).success
/** Rejects dates that no purchase has; some of them Postgres can't store. */
const isDate = (value: string) => value >= '1970' && !Number.isNaN(Date.parse(value))

export const transactionBody = z
  .strictObject({
    transactionId: text(255).openapi({ description: 'Identifier set by the PSP.', example: 'ch_3Pgc2f' }),
    transactionCardLastFourDigits: digits('Last four digits of the card.'),
    transactionCardAppleLast4Digits: digits('Last four digits, when a mobile wallet was used.'),
    transactionCardScheme: says('Card scheme.'),
    transactionCardBin: matching(/^(\d{6}|\d{8})$/, 'Must be six or eight digits', 'Bank identification number.'),
    transactionCustomerDisplayedTransactionDescription: says('Name of the merchant as shown on the statement.'),
    transactionCardFingerprint: says('What the PSP calls the same card by.'),
    transactionCreatedDate: z.iso
      .datetime({ offset: true, error: 'Must be an ISO 8601 date-time, for example 2026-01-31T00:00:00Z' })
      .refine(isDate, 'Must be an ISO 8601 date-time from 1970 on')
      .transform((value) => new Date(value).toISOString())
      .optional()
      .openapi({ type: 'string', format: 'date-time', description: 'When the transaction was processed.' }),
    transactionStatus: says('Status at the PSP.'),
    transactionEarlyFraudWarningFraudType: says('Fraud type that the issuer reported.'),
    transactionVerificationCustomerPicture: says('Link to a picture.'),
    transactionArn: says('Acquirer reference number.'),
    transactionOrderIpAddress: freeText(45)
      .refine(isAddress, 'Must be an IP address')
      .optional()
      .openapi({
        description: 'IPv4 or IPv6 address of the customer.',
        anyOf: ['ipv4', 'ipv6'].map((format) => ({ type: 'string', format })),
      }),
    transactionOrderDeviceId: says('Device of the customer.'),
    transactionOrderUserAgent: says('Browser of the customer.'),
    transactionOrderEmail: email('E-mail address of the customer.'),
    transactionShippingToAddressLine1: says('First line of the shipping address.'),
    transactionShippingToAddressLine2: says('Second line of the shipping address.'),
    transactionShippingToState: says('Two-letter abbreviation of the state.'),
    transactionShippingToZipCode: says('Postal code of the shipping address.'),
    transactionBillingAddressCountry: says('Country of the billing address.'),
    transactionShippingToFullShippingAddress: says('The parts of the shipping address in one text.'),
    transactionOrderSteamId: says('The customer’s account in the merchant’s system.'),
    transactionOrderPhone: says('Phone number of the customer.'),
    transactionShippingPhone: says('Phone number of the recipient.'),
    transactionShippingEmail: email('E-mail address of the recipient.'),
    transactionOrderItemsProductName: says('What was bought.'),
    transactionOrderItemsProductDescription: says('What was bought, in more words.'),
  })
  .openapi('Transaction')
