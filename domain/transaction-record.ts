/** A client's data about one purchase (operation 1): every field is a string, all but the id are optional. */
export const TRANSACTION_FIELDS = [
  'transactionId',
  'transactionCardLastFourDigits',
  'transactionCardAppleLast4Digits',
  'transactionCardScheme',
  'transactionCardBin',
  'transactionCustomerDisplayedTransactionDescription',
  'transactionCardFingerprint',
  'transactionCreatedDate',
  'transactionStatus',
  'transactionEarlyFraudWarningFraudType',
  'transactionVerificationCustomerPicture',
  'transactionArn',
  'transactionOrderIpAddress',
  'transactionOrderDeviceId',
  'transactionOrderUserAgent',
  'transactionOrderEmail',
  'transactionShippingToAddressLine1',
  'transactionShippingToAddressLine2',
  'transactionShippingToState',
  'transactionShippingToZipCode',
  'transactionBillingAddressCountry',
  'transactionShippingToFullShippingAddress',
  'transactionOrderSteamId',
  'transactionOrderPhone',
  'transactionShippingPhone',
  'transactionShippingEmail',
  'transactionOrderItemsProductName',
  'transactionOrderItemsProductDescription',
] as const
export type TransactionField = (typeof TRANSACTION_FIELDS)[number]

export type TransactionRecord = { transactionId: string } & { [Field in TransactionField]?: string | undefined }

/** Names of the fields with a value; an empty text removes a field. The id itself is no data point. */
export function presentFields(record: Readonly<Record<string, unknown>>): string[] {
  return TRANSACTION_FIELDS.filter(
    (name) => name !== 'transactionId' && record[name] !== undefined && record[name] !== '',
  )
}
