import { describe, expect, it } from 'vitest'
import { evidenceTexts } from '../../../domain/evidence/evidence-texts.ts'

const SOURCES = {
  email: ['transactionOrderEmail', 'transactionShippingEmail'],
  address: ['transactionShippingToFullShippingAddress'],
}

describe('evidenceTexts', () => {
  it('takes the first known of what means the same', () => {
    const points = { transactionOrderEmail: ' ', transactionShippingEmail: 'b@example.com' }
    expect(evidenceTexts(points, ['email'], SOURCES)).toEqual({ email: 'b@example.com' })
  })

  it.each(['tracking_number', 'TRACKING_NUMBER', 'trackingNumber'])(
    'finds a data point named like the field %s',
    (field) => {
      expect(evidenceTexts({ trackingNumber: 17 }, [field])).toEqual({ [field]: '17' })
    },
  )

  it('prefers what is named like the field to what means the same', () => {
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

  it('leaves empty what nothing is known for, and sends no list or object', () => {
    const points = { email: ['a@example.com'], tracking_number: { carrier: 'x' }, other: 'y' }
    expect(evidenceTexts(points, ['email', 'tracking_number', 'notes'], SOURCES)).toEqual({})
  })
})
