import { expect, test } from 'vitest'
import { toChargeback } from '../../../../adapters/braintree/translate.ts'
import { simulated } from './connect.ts'

test('every dispute names its merchant account, which the gateway lists; a missing one is an anomaly', async () => {
  await using braintree = await simulated()
  const { engine, url } = braintree.running
  const headers = {
    authorization: `Basic ${btoa('rcpdemo7k2m9q4x8:5f0c2d9b7a4e81c3d6f2a9b04e7c1d38')}`,
    'x-apiversion': '6',
  }
  const listed = await (await fetch(`${url}/merchants/recoupdemo/merchant_accounts?page=1`, { headers })).text()
  let text = ''
  for (const reference of await braintree.create({ count: 93 })) {
    const record = engine.find(reference)
    text = JSON.stringify(record && engine.read(record))
    const { merchantAccountId } = JSON.parse(text)
    expect(toChargeback({ reference, text })).toMatchObject({ facts: { merchantReferenceName: merchantAccountId } })
    expect(listed).toContain(`<id>${merchantAccountId}</id>`)
  }
  const without = JSON.stringify({ ...JSON.parse(text), merchantAccountId: null })
  expect(toChargeback({ reference: null, text: without })).toMatchObject({ anomalies: ['no merchantAccountId'] })
})
