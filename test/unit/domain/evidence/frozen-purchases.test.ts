import { describe, expect, test } from 'vitest'
import { freezePurchases, frozenPurchases } from '../../../../domain/evidence/package/frozen-purchases.ts'

const shared = {
  ...{ transactionCardLastFourDigits: '4242', transactionOrderIpAddress: '203.0.113.7' },
  ...{ transactionOrderEmail: 'ada@example.com', transactionOrderSteamId: 'user-12', customerName: 'Ada Byron' },
  transactionOrderItemsProductDescription: 'Shoes, paid by 4242 4242 4242 4242',
}
const earlier = (transactionId: string, transactionCreatedDate: string, more: object = {}) => ({
  transactionId,
  fields: { ...shared, transactionCreatedDate, ...more },
})
const known = {
  ...{ cardScheme: 'visa' as const, reasonCode: '10.4', postingDate: new Date('2026-03-20T08:00:00Z') },
  disputed: { ...shared, transactionCreatedDate: '2026-03-01T10:15:00Z' },
  earlier: [
    earlier('ch_1', '2025-10-03'),
    earlier('ch_2', '2025-11-01'),
    earlier('ch_3', '2025-11-02', { transactionOrderIpAddress: '', transactionOrderSteamId: '' }),
  ],
}

describe('earlier purchases that are frozen with a package', () => {
  test('are those that share enough, with what a PSP has fields for and without card numbers', () => {
    const frozen = freezePurchases(known, [])
    expect(frozen?.earlier.map(({ transactionId }) => transactionId)).toEqual(['ch_1', 'ch_2'])
    expect(frozen?.disputed).not.toHaveProperty('customerName')
    expect(JSON.stringify(frozen)).not.toContain('4242 4242')
    const stored = JSON.parse(JSON.stringify(frozen))
    expect(frozenPurchases(stored)).toMatchObject({ postingDate: known.postingDate, reasonCode: '10.4' })
  })

  test('have no identifier of the customer that contradicts what the PSP knows', () => {
    expect(freezePurchases(known, ['email'])?.disputed).not.toHaveProperty('transactionOrderEmail')
    expect(freezePurchases(known, ['email', 'account'])).toBeNull()
  })

  test('are none without two of them, and nothing at all for another claim', () => {
    expect(freezePurchases({ ...known, earlier: known.earlier.slice(1) }, [])).toBeNull()
    expect(freezePurchases({ ...known, reasonCode: '13.1' }, [])).toBeUndefined()
  })
})
