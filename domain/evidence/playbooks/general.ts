import { type Ask, correspondence, fileOf, helpful, type Playbook, required, type Statement } from './playbook.ts'
import {
  activity,
  contact,
  deliveredAnywhere,
  downloaded,
  lastUsed,
  message,
  ordered,
  payment,
  refundPolicy,
  served,
  shipped,
  signed,
  termsAccepted,
} from './shared.ts'

/** Delivery or use, what was ordered, and contact: whatever the claim is, that the customer has the purchase comes first. */
const STATEMENTS: readonly Statement[] = [
  deliveredAnywhere,
  signed,
  served,
  { ...downloaded, weight: 3 },
  { ...lastUsed, weight: 3 },
  { ...activity, weight: 3 },
  message,
  ordered,
  shipped,
  contact,
  payment,
]
const ASKS: readonly Ask[] = [
  required('goods'),
  required('transactionCreatedDate'),
  fileOf(2, 'receipt'),
  correspondence(2),
  // Without one of them the answer to the claim is missing, whatever the claim is.
  required('deliveryDate', 'serviceDate', 'downloadDate', 'accessActivityLog'),
  helpful('email'),
]

export const generalPlays: readonly Playbook[] = [
  { id: 'general', version: 4, statements: STATEMENTS, asks: [{ of: ASKS }] },
  {
    id: 'consumer_general',
    version: 5,
    statements: [
      ...STATEMENTS,
      {
        id: 'refund_refusal',
        text: '{{ refundRefusalExplanation }}',
        weight: 3,
        exhibits: ['communication'],
      },
      termsAccepted,
      refundPolicy,
    ],
    asks: [{ of: [...ASKS, helpful('shipTo')] }],
  },
  // Fees, or a programme's verdict: no fact of one sale answers it.
  { id: 'compliance', version: 1, statements: [], asks: [], manualOnly: true },
]
