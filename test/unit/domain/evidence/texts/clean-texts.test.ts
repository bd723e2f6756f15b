import { expect, test } from 'vitest'
import { evidenceTexts } from '../../../../../domain/evidence/evidence-texts.ts'
import { cleanPurchases } from '../../../../../domain/evidence/package/frozen-purchases.ts'
import { cleanTexts } from '../../../../../domain/evidence/texts/clean-texts.ts'
import { definitionOf } from './filled.ts'

const CARD = '4242 4242 4242 4242'
/** Passes the check of card numbers by chance. */
const TRACKING = '00340434161094042557'

test('texts that go with a client’s own file have no card numbers; identifiers keep their digits', () => {
  const { evidence, textSources, textTable = { fields: {} } } = definitionOf('stripe')
  const points = {
    accessActivityLog: `5 March: paid by ${CARD}`,
    uncategorized_text: `Paid by ${CARD}, CVC 123.`,
    shippingTrackingNumber: `${TRACKING}, 7992739871300, ${CARD}`,
    duplicateChargeId: 'ch_8',
  }
  const texts = evidenceTexts(points, Object.keys(evidence?.textFields ?? {}), textSources)
  expect(cleanTexts(texts, textTable)).toEqual({
    access_activity_log: '5 March: paid by •••• 4242',
    uncategorized_text: 'Paid by •••• 4242, CVC •••.',
    shipping_tracking_number: `${TRACKING}, 7992739871300, •••• 4242`,
    duplicate_charge_id: 'ch_8',
  })
})

test('neither have the descriptions of earlier purchases', () => {
  const fields = { transactionOrderItemsProductDescription: `Shoes, ${CARD}`, transactionCardLastFourDigits: '4242' }
  const purchases = {
    ...{ cardScheme: 'visa' as const, reasonCode: '10.4', postingDate: null },
    ...{ disputed: fields, earlier: [{ transactionId: 'ch_1', fields }] },
  }
  expect(JSON.stringify(cleanPurchases(purchases))).not.toContain(CARD)
})
