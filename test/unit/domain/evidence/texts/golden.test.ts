import { expect, test } from 'vitest'
import type { PlayId } from '../../../../../domain/evidence/playbooks/playbook.ts'
import { CLAIMS, FULL } from '../evidence-input.ts'
import { filled } from './filled.ts'

const REFUND = { refundId: 're_1', refundDate: '2026-03-04', refundAmount: '12.00 USD', refundArn: '7421' }
const LOG = Array.from({ length: 200 }, (_, index) => {
  const day = new Date(Date.parse('2026-01-20T09:12:00Z') + index * 8 * 3_600_000).toISOString().slice(0, 16)
  return `${day}Z sign-in from 203.0.113.${index}, device d-55, order page`
})
const POLICY = 'A parcel may be returned within 30 days. The customer pays the postage. '

/** Cases by name: the play, data points, whether files are there. */
const CASES: Readonly<Record<string, [PlayId, Record<string, unknown>]>> = {
  full: ['not_received', { ...FULL, billingAddress: '1 Bank Street, Leeds, LS1 1AA, GB' }],
  fraud: ['fraud_cnp', { ...FULL, ...REFUND, avsResult: 'N', billingAddress: '1 Bank Street, Leeds' }],
  duplicate: ['duplicate', { ...FULL, duplicateChargeExplanation: undefined }],
  thin: ['not_received', { transactionOrderItemsProductName: 'shoes' }],
  long: [
    'recurring',
    {
      ...FULL,
      ...{ accessActivityLog: LOG, shippingTrackingNumber: Array.from({ length: 12 }, (_, n) => `1Z${n}`) },
      transactionOrderItemsProductDescription: 'A blue shoe of size 42, one of a pair. '.repeat(2_600),
      ...{ refundPolicyDisclosure: POLICY.repeat(1_400), cancellationRebuttal: 'x'.repeat(100_000) },
    },
  ],
  scripts: [
    'not_received',
    {
      ...{ customerName: 'محمد عبد الله', deliveryDate: '2026-03-06T11:42:00Z', shippingDate: '2026-03-03' },
      transactionOrderItemsProductDescription: '青いランニングシューズ、サイズ42。箱入り。',
      transactionShippingToFullShippingAddress: 'شارع الملك فهد 12، الرياض 12271',
      ...{ shippingCarrier: 'Новая почта', shippingTrackingNumber: '20450000000001' },
      refundPolicyDisclosure: 'คืนสินค้าได้ภายใน 30 วัน ลูกค้าจ่ายค่าส่งคืน',
      uncategorized_text: 'यह आदेश ग्राहक को मिला। ग्राहक ने हस्ताक्षर किए।',
    },
  ],
}

/** Long texts by beginning and end. */
const ends = (text: string) => (text.length <= 1_600 ? text : `${text.slice(0, 200)} ⋯ ${text.slice(-200)}`)

function written(source: string, name: string): string {
  const [play, points] = CASES[name] ?? ['general', {}]
  const { texts, leftOut } = filled(source, points, {
    claim: CLAIMS[play],
    ...(name === 'thin' && { exhibits: [] }),
  })
  return [
    `== ${name}: ${play}`,
    ...Object.entries(texts).map(([field, text]) => `${field} (${text.length})\n${ends(text).replaceAll(/^/gm, '  ')}`),
    ...leftOut.map(({ field, why }) => `- ${field}: ${why}`),
  ].join('\n')
}

test.each(['stripe', 'paypal', 'braintree', 'adyen', 'recoup_sandbox'])(
  'the texts of %s match their golden file',
  async (source) => {
    const page = Object.keys(CASES)
      .map((name) => written(source, name))
      .join('\n\n')
    await expect(`${page}\n`).toMatchFileSnapshot(`golden/${source}.txt`)
  },
)
