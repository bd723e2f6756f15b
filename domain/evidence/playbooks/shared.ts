import type { Statement } from './playbook.ts'

/** Sentences that several plays share. */

export const payment: Statement = {
  id: 'payment',
  text: 'The payment was made on {{ transactionCreatedDate | dateTime }}{% if orderId %} for the order {{ orderId }}{% endif %}{% if descriptor %} and appears on the card statement as "{{ descriptor }}"{% endif %}.',
  optional: ['orderId', 'descriptor'],
  weight: 1,
  exhibits: ['receipt'],
  inCaseTable: true,
}

export const ordered: Statement = {
  id: 'ordered',
  text: 'The order was for: {{ goods }}.',
  weight: 2,
  exhibits: ['receipt', 'checkout'],
}

const ADDRESS =
  ' to {{ shipTo }}{% if confirmedAddress %}, the billing address that the card issuer confirmed{% endif %}'
const deliveryTo = (address: string, order = '') =>
  `The order${order} was delivered{% if shippingCarrier %} by {{ shippingCarrier }}{% endif %} on {{ deliveryDate | dateTime }}${address}{% if shippingTrackingNumber %} (tracking number {{ shippingTrackingNumber }}){% endif %}.`

export const delivered: Statement = {
  id: 'delivered',
  text: deliveryTo(ADDRESS),
  optional: ['shippingCarrier', 'shippingTrackingNumber', 'confirmedAddress'],
  weight: 3,
  exhibits: ['delivery', 'signature', 'photo'],
}

/** Where it is not the place that is disputed. */
export const deliveredAnywhere: Statement = {
  ...delivered,
  text: deliveryTo(`{% if shipTo %}${ADDRESS}{% endif %}`),
  optional: ['shipTo', ...(delivered.optional ?? [])],
}

/** Names the order, for plays that mention a second one. */
export const deliveredOrder: Statement = {
  ...deliveredAnywhere,
  text: deliveryTo(`{% if shipTo %}${ADDRESS}{% endif %}`, '{% if orderId %} {{ orderId }}{% endif %}'),
  optional: ['orderId', ...(deliveredAnywhere.optional ?? [])],
}

export const signed: Statement = {
  id: 'signed',
  text: 'The delivery of {{ deliveryDate | date }} was signed for by {{ deliverySignedBy }}.',
  weight: 2,
  exhibits: ['signature', 'delivery'],
  needsExhibit: true,
}

export const shipped: Statement = {
  id: 'shipped',
  text: 'The order was shipped{% if shippingDate %} on {{ shippingDate | date }}{% endif %} with {{ shippingCarrier }}, tracking number {{ shippingTrackingNumber }}.',
  optional: ['shippingDate'],
  weight: 2,
  exhibits: ['delivery'],
  unless: ['deliveryDate'],
}

export const downloaded: Statement = {
  id: 'downloaded',
  text: 'The purchase was downloaded on {{ downloadDate | dateTime }}.',
  weight: 2,
  exhibits: ['usage'],
}

export const lastUsed: Statement = {
  id: 'last_used',
  text: 'The customer account{% if account %} {{ account }}{% endif %} was last used on {{ lastUseDate | dateTime }}.',
  optional: ['account'],
  weight: 2,
  exhibits: ['usage'],
}

export const activity: Statement = {
  id: 'activity',
  text: 'The activity log shows: {{ activityEntries }}.',
  weight: 2,
  exhibits: ['usage'],
}

export const served: Statement = {
  id: 'served',
  text: 'The service was provided on {{ serviceDate | dateTime }}.',
  weight: 3,
  exhibits: ['usage'],
}

export const termsAccepted: Statement = {
  id: 'terms_accepted',
  text: 'The customer accepted the terms on {{ termsAcceptedDate | dateTime }}.',
  weight: 2,
  // Terms alone do not show who accepted them.
  exhibits: ['checkout', 'contract'],
}

export const cancellationPolicy: Statement = {
  id: 'cancellation_policy',
  text: 'The cancellation policy disclosed to the customer: {{ cancellationPolicyDisclosure }}',
  weight: 2,
  exhibits: ['policy', 'checkout', 'terms'],
}

export const refundPolicy: Statement = {
  id: 'refund_policy',
  text: 'The refund policy disclosed to the customer: {{ refundPolicyDisclosure }}',
  weight: 2,
  exhibits: ['policy', 'checkout', 'terms'],
}

export const notReturned: Statement = {
  id: 'not_returned',
  text: '{% if notReturned %}The goods were not returned.{% endif %}',
  weight: 2,
  unless: ['returnedDate'],
}

export const message: Statement = {
  id: 'message',
  text: 'Message of {{ captionedMessageDate | date }}: {{ messageCaption }}',
  weight: 2,
  exhibits: ['communication'],
}

export const contact: Statement = {
  id: 'contact',
  text: 'The correspondence with the customer is enclosed.',
  weight: 1,
  exhibits: ['communication'],
  needsExhibit: true,
  // The messages, or a sentence about them, say more than that they are enclosed.
  unless: ['customerCommunication', 'cancellationRebuttal', 'refundRefusalExplanation', 'descriptionRebuttal'],
}
