import { compelling, correspondence, fileOf, helpful, type Playbook, required } from './playbook.ts'
import {
  activity,
  contact,
  delivered,
  deliveredAnywhere,
  downloaded,
  lastUsed,
  message,
  notReturned,
  ordered,
  payment,
  served,
  shipped,
  signed,
  termsAccepted,
} from './shared.ts'

/** What was sold, and that the customer has it. */
export const deliveryPlays: readonly Playbook[] = [
  {
    id: 'not_received',
    version: 6,
    statements: [
      delivered,
      signed,
      served,
      { ...downloaded, weight: 3 },
      { ...lastUsed, weight: 3 },
      { ...activity, weight: 3 },
      {
        id: 'not_due',
        text: '{% if deliveryNotDue %}The delivery is agreed for {{ expectedDeliveryDate | date }}, after the dispute of {{ postingDate | date }}.{% endif %}',
        weight: 3,
        exhibits: ['receipt', 'terms', 'contract'],
        unless: ['deliveryDate'],
      },
      shipped,
      ordered,
      message,
      contact,
      payment,
    ],
    asks: [
      {
        of: [
          required('deliveryDate'),
          required('shipTo'),
          { facts: ['shippingTrackingNumber'], files: ['delivery'], weight: 3 },
          { facts: ['deliverySignedBy'], files: ['signature'], weight: 2 },
          compelling('contactAfterDelivery'),
          helpful('shippingCarrier'),
          helpful('goods'),
        ],
      },
      {
        when: ['accessActivityLog', 'serviceDate', 'downloadDate'],
        of: [
          required('accessActivityLog', 'serviceDate', 'downloadDate'),
          compelling('lastUseDate'),
          compelling('ip'),
          correspondence(2),
          helpful('goods'),
        ],
      },
      {
        when: ['deliveryNotDue'],
        of: [required('deliveryNotDue'), fileOf(2, 'receipt', 'terms', 'contract'), helpful('goods')],
      },
    ],
  },
  {
    id: 'not_described',
    version: 5,
    statements: [
      {
        id: 'description_rebuttal',
        text: '{{ descriptionRebuttal }}',
        weight: 3,
        exhibits: ['checkout', 'communication', 'photo'],
      },
      {
        id: 'as_shown',
        text: '{% if goodsDescribed %}Before the order the customer was shown: {{ goods }}.{% endif %}',
        weight: 3,
        exhibits: ['checkout'],
        needsExhibit: true,
      },
      {
        id: 'description_enclosed',
        text: 'The description that the customer saw before the order is enclosed.',
        weight: 3,
        exhibits: ['checkout'],
        needsExhibit: true,
        unless: ['goodsDescribed'],
      },
      {
        id: 'trial',
        text: '{% if trialNotice %}The customer accepted the terms on {{ termsAcceptedDate | dateTime }} and was notified on {{ renewalNoticeDate | date }}, at least 7 days before the payment of {{ transactionCreatedDate | date }}.{% endif %}',
        weight: 3,
        exhibits: ['communication', 'checkout', 'contract'],
      },
      { ...message, weight: 3 },
      { ...ordered, exhibits: ['receipt'], unlessExhibit: ['checkout'] },
      deliveredAnywhere,
      lastUsed,
      activity,
      served,
      notReturned,
      { ...termsAccepted, unless: ['trialNotice'] },
      contact,
      payment,
    ],
    asks: [
      {
        of: [
          { facts: ['goods'], files: ['checkout'], weight: 3 },
          // Each point of the claim needs an answer, in the merchant's words or in those to the customer.
          { facts: ['descriptionRebuttal', 'customerCommunication'], files: ['communication'], weight: 3 },
          compelling('notReturned', 'lastUseDate', 'accessActivityLog'),
          helpful('deliveryDate', 'serviceDate'),
          helpful('termsAcceptedDate'),
        ],
      },
      {
        code: '13.5',
        when: ['renewalNoticeDate', 'subscriptionId'],
        of: [
          required('termsAcceptedDate'),
          required('trialNotice'),
          fileOf(2, 'checkout', 'contract', 'communication'),
          helpful('subscriptionId'),
          helpful('goods'),
        ],
      },
    ],
  },
]
