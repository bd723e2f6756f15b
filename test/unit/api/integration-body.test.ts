import { describe, expect, it } from 'vitest'
import { integrationBody } from '../../../api/routes/integrations/integration-body.ts'

const withSecret = (secret: Record<string, unknown>) =>
  integrationBody.safeParse({
    externalIdentifier: 'acct_1',
    integrationName: 'Stripe',
    source: 'stripe',
    secretType: 'APIKEY_ONLY',
    secretPayload: { apiKey: 'rk_test', ...secret },
  })

describe('the secret of an integration', () => {
  it.each(['\\u0000', '\\ud800', 'a\\\\udfffb', '\u{1f600}'])('may contain %j', (apiKey) => {
    expect(withSecret({ apiKey, note: { deep: [apiKey] } }).success).toBe(true)
  })

  it.each([{ note: '\0' }, { note: ['\ud800'] }, { note: { deep: { 'a\0': 1 } } }, { '\udc00': 1 }])(
    'is refused if it can not be stored',
    (secret) => {
      expect(withSecret(secret).error?.issues.map(({ path }) => path)).toEqual([['secretPayload']])
    },
  )
})
