import type { Json, JsonObject } from '../../../simulators/engine/contract.ts'

const first = (list: Json | undefined): JsonObject => ((list as JsonObject[] | undefined)?.[0] ?? {}) as JsonObject

/** Writes a text into each field of a PSP's dispute that a person or the PSP fills freely. In place, by source. */
export const WRITE: Readonly<Record<string, (dispute: JsonObject, text: string) => void>> = {
  stripe(dispute, text) {
    const evidence = dispute.evidence as JsonObject
    dispute.reason = text
    dispute.metadata = { order: text, [text.slice(0, 40)]: text }
    dispute.evidence = {
      ...evidence,
      ...{ customer_name: text, customer_email_address: text, customer_purchase_ip: text, billing_address: text },
      ...{ product_description: text, shipping_address: text, shipping_carrier: text, refund_policy_disclosure: text },
    }
    dispute.payment_method_details = { type: text, card: { brand: text, network: text, network_reason_code: text } }
  },
  paypal(dispute, text) {
    const item = { item_id: text, item_name: text, item_description: text, notes: text, reason: text }
    dispute.disputed_transactions = [
      {
        ...first(dispute.disputed_transactions),
        ...{ invoice_number: text, custom: text, buyer: { name: text, email: text }, items: [item] },
        seller: { name: text, email: text },
      },
    ]
    dispute.reason = text
    dispute.external_reason_code = text
    dispute.messages = [{ posted_by: 'BUYER', content: text }]
    dispute.communication_details = { email: text, note: text }
    dispute.evidences = [{ evidence_type: 'OTHER', notes: text, source: 'SUBMITTED_BY_BUYER' }]
  },
  braintree(dispute, text) {
    dispute.reasonDescription = text
    dispute.processorComments = text
    dispute.caseNumber = text
    dispute.referenceNumber = text
    dispute.paypalMessages = [{ message: text, sender: text, sentAt: '2026-01-02T03:04:05Z' }]
    dispute.transaction = { ...(dispute.transaction as JsonObject), orderId: text, purchaseOrderNumber: text }
  },
  adyen(dispute, text) {
    dispute.items = (dispute.items as JsonObject[]).map((item) => ({
      ...item,
      ...{ reason: text, merchantReference: text },
      additionalData: {
        ...(item.additionalData as JsonObject),
        ...{ shopperReference: text, shopperEmail: text, modificationMerchantReferences: text },
        ...{ 'issuerComments.type': text, cardHolderName: text, paymentMethodVariant: text },
      },
    }))
  },
  recoup_sandbox(dispute, text) {
    dispute.reason = text
    dispute.reasonCode = text
    dispute.externalTransactionIdentifier = text
    dispute.merchantReferenceName = text
  },
}
