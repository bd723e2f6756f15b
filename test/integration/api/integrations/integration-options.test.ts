import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { adapters } from '../../../../adapters/registry.ts'
import { issueCredential } from '../../../../db/merchants/credentials.ts'
import { createStage } from '../stage.ts'

interface Option {
  source: string
  secretTypes: { secretType: string; schema: { properties: Record<string, Property>; required: string[] } }[]
}
interface Property {
  title?: string
  description?: string
  writeOnly?: boolean
}

test('every PSP has a form: each field with the PSP’s words, secret ones marked, and a schema that judges a payload', async () => {
  await using stage = await createStage()
  const { data } = (await stage.call('GET', '/v1/integrations/options')).body as { data: Option[] }
  expect(data.map(({ source }) => source)).toEqual(adapters().map(({ source }) => source))
  for (const { source, secretTypes } of data)
    for (const { secretType, schema } of secretTypes)
      for (const [name, { title, description }] of Object.entries(schema.properties)) {
        const where = `${source} ${secretType} ${name}`
        expect(title, where).toMatch(/^[A-Z].+/)
        expect(description, where).toMatch(/^[\w>].{6,}\.$/)
      }
  const schemaOf = (source: string) => data.find((one) => one.source === source)?.secretTypes[0]?.schema
  const stripe = schemaOf('stripe')
  expect(stripe?.properties).toMatchObject({ apiKey: { writeOnly: true }, webhookSecret: { writeOnly: true } })
  expect(schemaOf('paypal')?.properties.clientId?.writeOnly).toBeUndefined()
  // Braintree's own rule, which the general schema of the interface does not have.
  expect(schemaOf('braintree')?.required.sort()).toEqual(['publicKey', 'secretKey'])
  const isValid = new Ajv2020().compile(stripe ?? {})
  expect(isValid({ apiKey: 'rk_test_1', more: 'kept' })).toBe(true)
  expect(isValid({ webhookSecret: 'whsec_1' })).toBe(false)
})

test('production does not offer the sandbox', async () => {
  await using stage = await createStage({ environment: 'production' })
  const { db, ring, accountId } = stage
  const { token } = await issueCredential(db, ring, { accountId, scope: 'account', environment: 'production' })
  const { data } = (await stage.call('GET', '/v1/integrations/options', { token })).body as { data: Option[] }
  expect(data.map(({ source }) => source)).not.toContain('recoup_sandbox')
  expect(data.length).toBeGreaterThan(3)
})
