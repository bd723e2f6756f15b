import type { OverlayId, Playbook } from './playbook.ts'

/** Two facts that beat every play: the money went back, or the customer withdrew the dispute. They ask for nothing. */
export const overlays: readonly Playbook<OverlayId>[] = [
  {
    id: 'withdrawn',
    version: 2,
    statements: [
      {
        id: 'withdrawn_in_words',
        text: 'The customer withdrew the dispute on {{ customerWithdrewDate | date }} and wrote: "{{ withdrawalMessage }}"{% if withdrawalTranslation %} (translation: "{{ withdrawalTranslation }}"){% endif %}',
        optional: ['withdrawalTranslation'],
        weight: 3,
        exhibits: ['communication'],
      },
      {
        id: 'withdrawn',
        text: 'The customer withdrew the dispute on {{ customerWithdrewDate | date }}; the message is enclosed.',
        weight: 3,
        exhibits: ['communication'],
        needsExhibit: true,
        unless: ['withdrawalMessage'],
      },
    ],
    asks: [],
  },
  {
    id: 'refunded',
    version: 3,
    statements: [
      {
        id: 'refunded',
        text: '{{ refundAmount | money }} was refunded on {{ refundDate | date }}{% if refundedBeforeDispute and postingDate %}, before the dispute of {{ postingDate | date }}{% endif %}{% if refundId %}. The id of the refund is {{ refundId }}{% if refundArn %}, its ARN {{ refundArn }}{% endif %}{% elsif refundArn %}. The ARN of the refund is {{ refundArn }}{% endif %}.',
        optional: ['refundedBeforeDispute', 'postingDate', 'refundId', 'refundArn'],
        weight: 3,
        exhibits: ['refund'],
      },
    ],
    asks: [],
  },
]
