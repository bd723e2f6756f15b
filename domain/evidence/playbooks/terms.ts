import { compelling, correspondence, fileOf, helpful, type Playbook, required, type Statement } from './playbook.ts'
import {
  activity,
  cancellationPolicy,
  contact,
  deliveredAnywhere,
  lastUsed,
  message,
  notReturned,
  ordered,
  payment,
  refundPolicy,
  served,
  termsAccepted,
} from './shared.ts'

const usedAfterCancellation = {
  id: 'used_after_cancellation',
  text: '{% if usedAfterCancellation %}The service was used{% if account %} with the customer account {{ account }}{% endif %} on {{ lastUseDate | dateTime }}, after the cancellation of {{ cancellationDate | date }} and before the dispute.{% endif %}',
  optional: ['account'],
  weight: 3,
  exhibits: ['usage', 'communication'],
} as const

const paidBeforeCancellation = {
  id: 'paid_before_cancellation',
  text: '{% if paidBeforeCancellation %}The payment of {{ transactionCreatedDate | date }} was made before the cancellation of {{ cancellationDate | date }}.{% endif %}',
  weight: 3,
  exhibits: ['communication'],
} as const

const servedBeforeCancellation = {
  id: 'served_before_cancellation',
  text: '{% if servedBeforeCancellation %}The service was provided on {{ serviceDate | dateTime }}, before the cancellation of {{ cancellationDate | date }}.{% endif %}',
  weight: 3,
  exhibits: ['usage', 'communication'],
} as const

const rebuttal = {
  id: 'cancellation_rebuttal',
  text: '{{ cancellationRebuttal }}',
  weight: 3,
  exhibits: ['communication'],
} as const

const lastUsedBefore: Statement = { ...lastUsed, unless: ['usedAfterCancellation'] }

/** What was agreed, and what happened to it. */
export const termsPlays: readonly Playbook[] = [
  {
    id: 'recurring',
    version: 7,
    statements: [
      paidBeforeCancellation,
      usedAfterCancellation,
      rebuttal,
      termsAccepted,
      {
        id: 'renewal_notice',
        text: 'The customer was notified of the renewal on {{ renewalNoticeDate | date }}.',
        weight: 2,
        exhibits: ['communication'],
      },
      {
        id: 'earlier_payments',
        text: 'The same card made {{ earlierPayments | count: "earlier payment" }}, on {{ earlierPayments | list }}; none is known to be disputed.',
        weight: 2,
      },
      cancellationPolicy,
      lastUsedBefore,
      activity,
      {
        id: 'subscription',
        text: 'The payment belongs to the subscription {{ subscriptionId }}.',
        weight: 1,
      },
      ordered,
      message,
      contact,
      payment,
    ],
    asks: [
      {
        of: [
          required('termsAcceptedDate', 'cancellationPolicyDisclosure'),
          required('cancellationRebuttal', 'paidBeforeCancellation', 'usedAfterCancellation'),
          compelling('renewalNoticeDate'),
          compelling('earlierPayments'),
          compelling('lastUseDate', 'accessActivityLog'),
          helpful('subscriptionId'),
          helpful('goods'),
        ],
      },
    ],
  },
  {
    id: 'credit',
    version: 5,
    statements: [
      {
        id: 'refund_refusal',
        text: '{{ refundRefusalExplanation }}',
        weight: 3,
        exhibits: ['communication'],
      },
      refundPolicy,
      termsAccepted,
      deliveredAnywhere,
      notReturned,
      message,
      contact,
      ordered,
      payment,
    ],
    asks: [
      {
        when: ['refundDate', 'refundAmount', 'refundId'],
        of: [
          required('refundDate'),
          required('refundAmount'),
          compelling('refundId', 'refundArn'),
          fileOf(2, 'refund'),
        ],
      },
      {
        of: [
          required('refundRefusalExplanation'),
          required('refundPolicyDisclosure'),
          compelling('termsAcceptedDate'),
          fileOf(2, 'policy', 'checkout', 'terms'),
          helpful('notReturned'),
          helpful('deliveryDate'),
          helpful('goods'),
        ],
      },
    ],
  },
  {
    id: 'cancelled',
    version: 6,
    statements: [
      servedBeforeCancellation,
      rebuttal,
      usedAfterCancellation,
      { ...served, unless: ['servedBeforeCancellation'] },
      // By itself it does not answer the claim: it says what was agreed, not what happened.
      cancellationPolicy,
      termsAccepted,
      lastUsedBefore,
      activity,
      notReturned,
      message,
      contact,
      ordered,
      payment,
    ],
    asks: [
      {
        of: [
          required('cancellationPolicyDisclosure'),
          { facts: ['termsAcceptedDate'], files: ['checkout', 'terms'], weight: 3 },
          compelling('cancellationRebuttal', 'usedAfterCancellation', 'servedBeforeCancellation'),
          compelling('notReturned', 'lastUseDate', 'accessActivityLog', 'serviceDate'),
          fileOf(1, 'checkout', 'contract'),
          correspondence(1),
          helpful('goods'),
        ],
      },
    ],
  },
]
