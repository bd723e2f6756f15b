import { compelling, fileOf, helpful, type Playbook, required } from './playbook.ts'
import { deliveredOrder, ordered, payment, shipped, termsAccepted } from './shared.ts'

/** What was charged, once, and with whose approval. */
export const processingPlays: readonly Playbook[] = [
  {
    id: 'duplicate',
    version: 4,
    statements: [
      {
        id: 'two_orders',
        text: 'The two payments are for two orders: this one for order {{ orderId }}, the payment {{ duplicateChargeId }} for order {{ duplicateChargeOrderId }}.',
        weight: 3,
        exhibits: ['receipt'],
      },
      {
        id: 'two_purchases',
        text: 'This payment was for: {{ goods }}. The payment {{ duplicateChargeId }} was for: {{ duplicateChargeGoods }}.',
        weight: 3,
        exhibits: ['receipt'],
      },
      {
        id: 'this_purchase',
        text: 'This payment was for: {{ goods }}.',
        weight: 2,
        exhibits: ['receipt'],
        unless: ['duplicateChargeGoods'],
      },
      {
        id: 'other_payment',
        text: 'The other payment, {{ duplicateChargeId }}, was made on {{ duplicateChargeDate | dateTime }}.',
        weight: 2,
        exhibits: ['receipt'],
      },
      {
        id: 'difference',
        text: '{{ duplicateChargeExplanation }}',
        weight: 2,
        exhibits: ['receipt'],
      },
      deliveredOrder,
      shipped,
      payment,
    ],
    asks: [
      {
        of: [
          required('duplicateChargeId'),
          required('goods', 'orderId'),
          required('duplicateChargeGoods', 'duplicateChargeOrderId'),
          fileOf(2, 'receipt'),
          helpful('duplicateChargeDate'),
          helpful('duplicateChargeExplanation'),
          helpful('shippingTrackingNumber'),
          helpful('duplicateChargeTrackingNumber'),
        ],
      },
    ],
  },
  {
    id: 'other_means',
    version: 3,
    statements: [
      {
        id: 'only_payment',
        text: '{{ onlyPaymentStatement }}',
        weight: 3,
      },
      {
        id: 'receipt',
        text: 'The receipt of the order is enclosed.',
        weight: 3,
        exhibits: ['receipt'],
        needsExhibit: true,
      },
      ordered,
      payment,
    ],
    asks: [{ of: [required('onlyPaymentStatement'), fileOf(3, 'receipt'), helpful('goods'), helpful('orderId')] }],
  },
  {
    id: 'amount',
    version: 6,
    statements: [
      {
        id: 'order_total',
        text: 'The lines of the order add up to {{ orderTotal | money }}, the disputed amount.',
        weight: 3,
        exhibits: ['receipt', 'checkout'],
      },
      {
        id: 'receipt_amount',
        // What the file shows is not known.
        text: 'The receipt of the sale is enclosed{% if amount %}; the disputed amount is {{ amount | money }}{% endif %}.',
        optional: ['amount'],
        weight: 3,
        exhibits: ['receipt'],
        needsExhibit: true,
        unless: ['orderTotal'],
      },
      termsAccepted,
      ordered,
      payment,
    ],
    asks: [
      {
        of: [
          fileOf(3, 'receipt'),
          compelling('orderItems'),
          compelling('termsAcceptedDate'),
          helpful('goods'),
          helpful('transactionCreatedDate'),
        ],
      },
    ],
  },
  {
    id: 'authorization',
    version: 5,
    statements: [
      {
        id: 'approved',
        text: 'The card issuer approved {% if authorizedAmount %}{{ authorizedAmount | money }} for {% endif %}the payment of {{ transactionCreatedDate | dateTime }} with the authorization code {{ authorizationCode }}.',
        optional: ['authorizedAmount'],
        weight: 3,
        exhibits: ['receipt'],
      },
      ordered,
      { ...payment, unless: ['authorizationCode'] },
    ],
    asks: [
      {
        of: [required('authorizationCode'), required('transactionCreatedDate'), fileOf(2, 'receipt'), helpful('goods')],
      },
    ],
  },
]
