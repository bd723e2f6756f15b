import { describe, expect, it } from 'vitest'
import { evidenceTexts } from '../../../domain/evidence/evidence-texts.ts'

const SOURCES = {
  email: ['transactionOrderEmail', 'transactionShippingEmail'],
  address: ['transactionShippingToFullShippingAddress'],
}

describe('evidenceTexts', () => {
  it('uses the first known of the data points with the same meaning', () => {
    const points = { transactionOrderEmail: ' ', transactionShippingEmail: 'b@example.com' }
    expect(evidenceTexts(points, ['email'], SOURCES)).toEqual({ email: 'b@example.com' })
  })

  it.each(['tracking_number', 'TRACKING_NUMBER', 'trackingNumber'])(
    'finds a data point named like the field %s',
    (field) => {
      expect(evidenceTexts({ trackingNumber: 17 }, [field])).toEqual({ [field]: '17' })
    },
  )

  it('prefers a data point named like the field to one with the same meaning', () => {
    expect(
      evidenceTexts({ email: 'a@example.com', transactionOrderEmail: 'b@example.com' }, ['email'], SOURCES),
    ).toEqual({
      email: 'a@example.com',
    })
  })

  it('puts an address together from its parts', () => {
    const points = {
      transactionShippingToAddressLine1: '1 Main St',
      transactionShippingToState: 'NY',
      transactionShippingToZipCode: '10001',
    }
    expect(evidenceTexts(points, ['address'], SOURCES)).toEqual({ address: '1 Main St, NY, 10001' })
    expect(evidenceTexts({ transactionShippingToState: 'NY' }, ['address'], SOURCES)).toEqual({})
  })

  it('omits fields without a known value, and sends no list or object', () => {
    const points = { email: ['a@example.com'], tracking_number: { carrier: 'x' }, other: 'y' }
    expect(evidenceTexts(points, ['email', 'tracking_number', 'notes'], SOURCES)).toEqual({})
  })
})
