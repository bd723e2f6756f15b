import { describe, expect, test } from 'vitest'
import { checkConfiguration, paypalSecret } from '../../../../adapters/paypal/secret.ts'
import { errorOf, SECRET } from './paypal.ts'

describe('a credential', () => {
  test('is trimmed', () =>
    expect(paypalSecret.parse({ clientId: ' AVid\n', clientSecret: '\tEKsecret ', webhookId: ' WH1 ' })).toEqual({
      clientId: 'AVid',
      clientSecret: 'EKsecret',
      webhookId: 'WH1',
    }))

  test.each(['clientId', 'clientSecret'])('without %s is refused', async (name) => {
    expect(paypalSecret.safeParse({ ...SECRET, [name]: '  ' }).success).toBe(false)
    const configuration = { secret: { ...SECRET, [name]: '' }, externalIdentifier: 'MERCHANT1' }
    expect((await errorOf(() => checkConfiguration(configuration))).kind).toBe('config_invalid')
  })

  test.each(['a\nb', 'a:b', 'ä'])(
    'with characters that no header may contain (%j) is refused before any call',
    async (odd) => {
      for (const name of ['clientId', 'clientSecret', 'webhookId']) {
        const configuration = { secret: { ...SECRET, [name]: odd }, externalIdentifier: 'MERCHANT1' }
        expect((await errorOf(() => checkConfiguration(configuration))).kind).toBe('config_invalid')
      }
    },
  )
})
