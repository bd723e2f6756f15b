import { expect, test } from 'vitest'
import { composeEvidence } from '../../../../domain/evidence/compose.ts'
import { PLAY_IDS, type PlayId } from '../../../../domain/evidence/playbooks/playbook.ts'
import { CHARGEBACK, CLAIMS, client, FULL, input } from './evidence-input.ts'

const EARLIER = {
  dates: ['3 October 2025', '9 November 2025'],
  matched: ['transactionOrderIpAddress', 'transactionShippingToFullShippingAddress', 'transactionOrderEmail'],
}
const PAYMENTS = ['1 December 2025', '1 January 2026', '1 February 2026']
const REFUND = {
  refundAmount: '12.00 USD',
  refundDate: '2026-03-04',
  refundId: 're_1',
  customerWithdrewDate: '2026-03-25',
}

/** The text for the issuer, then the messages for the merchant. */
function written(play: PlayId, points: Record<string, unknown>, exhibits = input().exhibits): string {
  const sources = [client(points), CHARGEBACK]
  const one = composeEvidence(
    input({ claim: CLAIMS[play], sources, exhibits, earlier: EARLIER, earlierPayments: PAYMENTS }),
  )
  const sentences = one.statements.flatMap(({ text, exhibits: files }) =>
    text === undefined ? [] : [`- ${text}${files.length > 0 ? ` [${files.join(', ')}]` : ''}`],
  )
  const missing = [
    `required: ${one.requiredMissing.join('; ') || 'all there'}`,
    `further: ${one.missing.join('; ') || 'none'}`,
  ]
  const warnings = one.warnings.map(({ message }) => `! ${message}`)
  return [
    `${play}, ${one.completeness.toFixed(2)}${one.manualOnly ? ', only by hand' : ''}`,
    ...sentences,
    ...missing,
    ...warnings,
  ].join('\n')
}

test.each(PLAY_IDS)('%s matches its golden file, with all data and with little', async (play) => {
  const full = written(play, play === 'credit' ? { ...FULL, ...REFUND } : FULL)
  const thin = written(play, { transactionOrderItemsProductName: 'shoes' }, [])
  await expect(`${full}\n\nthin: ${thin}\n`).toMatchFileSnapshot(`golden/${play}.txt`)
})
