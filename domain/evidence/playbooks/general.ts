import { type Ask, correspondence, fileOf, helpful, type Playbook, required, type Statement } from './playbook.ts'
import {
  activity,
  contact,
  delivered,
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

/** Order, delivery or use, and contact. */
const STATEMENTS: readonly Statement[] = [
  { ...ordered, weight: 3 },
  delivered,
  signed,
  served,
  downloaded,
  lastUsed,
  activity,
  shipped,
  message,
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
  { id: 'general', version: 3, statements: STATEMENTS, asks: [{ of: ASKS }] },
  {
    id: 'consumer_general',
    version: 3,
    statements: [
      ...STATEMENTS,
      termsAccepted,
      {
        id: 'refund_refusal',
        text: 'About the refund: {{ refundRefusalExplanation }}',
        weight: 2,
        exhibits: ['communication'],
      },
      refundPolicy,
    ],
    asks: [{ of: [...ASKS, helpful('shipTo')] }],
  },
  // Fees, or a programme's verdict: no fact of one sale answers it.
  { id: 'compliance', version: 1, statements: [], asks: [], manualOnly: true },
]
