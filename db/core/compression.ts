import { deflateRawSync, inflateRawSync } from 'node:zlib'

/**
 * What disputes of the PSPs have in common, the most frequent last: half of what is left of them without it. Part of the
 * form of sealed texts: it never changes, and a better one needs a form of its own.
 */
const DICTIONARY = Buffer.from(
  [
    '"remainingFileEvidenceStorage":7340032,"paypalMessages":[],"evidence":[{"category":"GENERAL","comment":"',
    '","url":null,"createdAt":"","sentToProcessorAt":"","sequenceNumber":null}],"statusHistory":[{"status":"open",',
    '"effectiveDate":"","disbursementDate":null,"timestamp":""}],"transaction":{"id":"","amount":"","createdAt":"',
    '","orderId":"","purchaseOrderNumber":null,"installmentCount":null,"paymentInstrumentSubtype":"Visa"}}',
    '{"id":"","globalId":"ZGlzcHV0ZV8","amount":"","amountDisputed":"","amountWon":"0","currencyIsoCode":"USD",',
    '"kind":"chargeback","status":"disputed","reason":"","reasonCode":"","reasonDescription":null,"caseNumber":"CB',
    '","referenceNumber":"","originalDisputeId":null,"processorComments":null,"chargebackProtectionLevel":"standard",',
    '"preDisputeProgram":"none","merchantAccountId":"","receivedDate":"","replyByDate":"","dateOpened":"",',
    '"dateWon":null,"createdAt":"","updatedAt":"',
    '{"merchantAccount":"","disputePspReference":"","items":[{"additionalData":{"chargebackReasonCode":"",',
    '"chargebackSchemeCode":"visa","paymentMethodVariant":"visa","modificationMerchantReferences":"","arn":"',
    '","disputeStatus":"Undefended","defensePeriodEndsAt":"","defendable":"true"},"amount":{"currency":"USD","value":',
    '},"eventCode":"NOTIFICATION_OF_CHARGEBACK","eventDate":"","merchantAccountCode":"","merchantReference":"',
    '","originalReference":"","paymentMethod":"visa","pspReference":"","reason":"","success":"true"}]',
    '{"dispute_id":"PP-","create_time":"","update_time":"","disputed_transactions":[{"buyer_transaction_id":"',
    '","seller_transaction_id":"","create_time":"","transaction_status":"COMPLETED","gross_amount":{"currency_code":"USD",',
    '"value":""},"invoice_number":"","buyer":{"name":"","payer_id":""},"seller":{"email":"","merchant_id":"","name":"',
    '"}}],"reason":"","status":"WAITING_FOR_SELLER_RESPONSE","dispute_state":"REQUIRED_ACTION","dispute_amount":{',
    '"currency_code":"USD","value":""},"dispute_life_cycle_stage":"CHARGEBACK","dispute_channel":"INTERNAL",',
    '"refund_details":{"allowed_refund_amount":{"currency_code":"USD","value":""}},"seller_response_due_date":"',
    '","evidences":[{"evidence_type":"OTHER","source":"REQUESTED_FROM_SELLER","date":"","action_info":{"action":"',
    'PROVIDE_EVIDENCE","mandatory":true}}],"links":[{"href":"https://api.paypal.com/v1/customer/disputes/PP-',
    '","rel":"self","method":"GET"},{"rel":"accept_claim","method":"POST"},{"rel":"provide_evidence","method":"POST"}],',
    '"allowed_response_options":{"accept_claim":{"accept_claim_types":["REFUND","REFUND_WITH_RETURN","PARTIAL_REFUND"]}}}',
    '{"id":"du_1","object":"dispute","amount":00,"balance_transactions":[{"id":"txn_1","object":"balance_transaction",',
    '"amount":-,"available_on":1,"balance_type":"payments","created":1,"currency":"usd","description":"Chargeback ',
    'withdrawal","exchange_rate":null,"fee":1500,"fee_details":[{"amount":1500,"application":null,"currency":"usd",',
    '"description":"Dispute fee","type":"stripe_fee"}],"net":-,"reporting_category":"dispute","source":"du_1',
    '","status":"available","type":"adjustment"}],"charge":"ch_3","created":1,"currency":"eur",',
    '"enhanced_eligibility_types":["visa_compelling_evidence_3","visa_compliance","mastercard_compliance"],"evidence":{',
    '"access_activity_log":null,"appeal":null,"billing_address":null,"cancellation_policy":null,',
    '"cancellation_policy_disclosure":null,"cancellation_rebuttal":null,"customer_communication":null,',
    '"customer_email_address":"@example.com","customer_name":"","customer_purchase_ip":"","customer_signature":null,',
    '"duplicate_charge_documentation":null,"duplicate_charge_explanation":null,"duplicate_charge_id":null,',
    '"enhanced_evidence":{},"product_description":null,"receipt":null,"refund_policy":null,',
    '"refund_policy_disclosure":null,"refund_refusal_explanation":null,"service_date":null,',
    '"service_documentation":null,"shipping_address":null,"shipping_carrier":null,"shipping_date":null,',
    '"shipping_documentation":null,"shipping_tracking_number":null,"uncategorized_file":null,"uncategorized_text":null},',
    '"evidence_details":{"due_by":1,"enhanced_eligibility":{"mastercard_compliance":{"status":"',
    'requires_fee_acknowledgement"}},"has_evidence":false,"past_due":false,"submission_count":0,',
    '"submission_method":"not_submitted"},"intended_submission_method":null,"is_charge_refundable":false,',
    '"livemode":false,"metadata":{},"network_reason_code":"10.4","payment_intent":"pi_3","payment_method_details":{',
    '"card":{"brand":"visa","case_type":"chargeback","network":"visa","network_reason_code":"10.4"},"type":"card"},',
    '"reason":"fraudulent","status":"needs_response"}',
  ].join(''),
)

/** Small buffers: an object has 2 KB, and setting up the usual ones costs more than to fill them. */
const options = { dictionary: DICTIONARY, level: 3, windowBits: 14, memLevel: 5 }

export const compress = (text: string): Buffer => deflateRawSync(text, options)

/** @throws when the bytes are not those of `compress` */
export const decompress = (bytes: Buffer): string =>
  inflateRawSync(bytes, { dictionary: DICTIONARY, windowBits: 14 }).toString('utf8')
