import { describe, expect, test } from 'vitest'
import { sandbox } from '../../../../adapters/sandbox/index.ts'
import { sandboxSecrets } from '../../../../adapters/sandbox/secret.ts'
import { SECRET_TYPES, type SecretType } from '../../../../domain/integration.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { SANDBOX_ACCOUNT, sandboxSimulator } from '../../../../simulators/sandbox/index.ts'
import { connectSandbox } from './connect.ts'

/** The interface's table of secretType fields: required, optional, and the field with the secret itself. */
const PAYLOADS: Record<SecretType, { required: string[]; optional: string[]; secret: string }> = {
  APIKEY_ONLY: { required: ['apiKey'], optional: [], secret: 'apiKey' },
  PUBLIC_SECRET_KEY: { required: ['secretKey'], optional: ['publicKey'], secret: 'secretKey' },
  BASIC_AUTH: { required: ['clientId', 'clientSecret'], optional: [], secret: 'clientSecret' },
  USERNAME_PASSWORD: { required: ['username', 'password'], optional: [], secret: 'password' },
  HMAC: { required: ['hmac', 'apiKey'], optional: ['merchantCode', 'accountCode'], secret: 'apiKey' },
  APIKEY: { required: ['apiKey'], optional: ['storeUrl', 'shopName'], secret: 'apiKey' },
}

const payloadOf = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, `any: ${field} ü`]))

describe('each of the six secret types', () => {
  test('is accepted, and no other', () => {
    expect(Object.keys(sandbox.secrets).sort()).toEqual([...SECRET_TYPES].sort())
  })

  test.each(SECRET_TYPES)(
    '%s: connects, lists, reads, accepts and contests with any non-empty values',
    async (type) => {
      await using simulator = await startSimulator(sandboxSimulator)
      const { required, optional } = PAYLOADS[type]
      const secret = sandboxSecrets[type].schema.parse(payloadOf([...required, ...optional]))
      const adapter = connectSandbox({
        secret,
        baseUrl: simulator.url,
        externalIdentifier: SANDBOX_ACCOUNT,
        now: () => new Date(),
      })
      const order = { count: 2, status: 'needs_response', stage: 'chargeback', dueInHours: 48 }
      const created = await fetch(`${simulator.controlUrl}/disputes`, { method: 'POST', body: JSON.stringify(order) })
      const { disputes } = (await created.json()) as { disputes: { ref: string }[] }
      const [first = '', second = ''] = disputes.map((dispute) => dispute.ref)

      expect(await adapter.checkCredentials()).toMatchObject({ pspAccount: SANDBOX_ACCOUNT, mode: 'test' })
      const page = await adapter.listDisputes({ cursor: sandbox.cursor.initial(new Date()), oldestOpen: null })
      expect(page.items.map((item) => item.reference).sort()).toEqual([first, second].sort())
      expect(await adapter.acceptDispute({ reference: first, idempotencyKey: 'a' })).toMatchObject({
        result: 'applied',
      })
      const evidence = { digest: 'd'.repeat(64), files: {}, texts: { explanation: 'It was delivered.' } }
      const submission = { reference: second, idempotencyKey: 's', ...evidence }
      expect(await adapter.submitEvidence(submission)).toMatchObject({ result: 'applied' })
      expect(simulator.engine.ledger.effects.map((effect) => effect.kind)).toEqual(['acceptance', 'submission'])
    },
  )

  test.each(SECRET_TYPES)(
    '%s: optional fields may be left out, required ones may not, nothing may be empty',
    (type) => {
      const { required } = PAYLOADS[type]
      const { schema } = sandboxSecrets[type]
      expect(schema.safeParse(payloadOf(required)).success).toBe(true)
      for (const field of required) {
        expect(schema.safeParse({ ...payloadOf(required), [field]: '' }).success).toBe(false)
        expect(schema.safeParse({ ...payloadOf(required), [field]: undefined }).success).toBe(false)
      }
    },
  )

  test.each(SECRET_TYPES)(
    '%s: refused_ and restricted_ simulate their errors, with and without the sandbox PSP',
    async (type) => {
      await using simulator = await startSimulator(sandboxSimulator)
      const { required, secret: field } = PAYLOADS[type]
      for (const [prefix, kind] of [
        ['refused_', 'auth_failed'],
        ['restricted_', 'permission_missing'],
      ]) {
        const secret = sandboxSecrets[type].schema.parse({ ...payloadOf(required), [field]: `${prefix}x` })
        for (const baseUrl of [simulator.url, null]) {
          await expect(connectSandbox({ secret, baseUrl }).checkCredentials()).rejects.toMatchObject({ kind })
        }
      }
    },
  )
})

describe('connecting', () => {
  test('in production is refused, with any credential', () => {
    expect(() => connectSandbox({ environment: 'production' })).toThrow(/sandbox environment only/)
  })

  test('with an identifier that would change the path is refused', () => {
    expect(() => connectSandbox({ externalIdentifier: '..' })).toThrow(/externalIdentifier/)
  })

  test('with any other text as identifier works, and each identifier is a separate account', async () => {
    await using simulator = await startSimulator(sandboxSimulator)
    const externalIdentifier = 'Käse & Co / Nr. 5?'
    const adapter = connectSandbox({ baseUrl: simulator.url, externalIdentifier })
    expect(await adapter.checkCredentials()).toMatchObject({ pspAccount: externalIdentifier })
    expect(await adapter.confirmAccount()).toBe(externalIdentifier)
  })

  test.each([null, 'simulated'])('to an account that begins with unknown_ is refused (PSP: %s)', async (psp) => {
    await using simulator = await startSimulator(sandboxSimulator)
    const baseUrl = psp === null ? null : simulator.url
    const adapter = connectSandbox({ baseUrl, externalIdentifier: 'unknown_shop' })
    const refusal = { kind: 'permission_missing', message: expect.stringMatching(/externalIdentifier.*unknown_/) }
    await expect(adapter.checkCredentials()).rejects.toMatchObject(refusal)
    await expect(adapter.confirmAccount()).rejects.toMatchObject(refusal)
  })

  test('with a credential that now belongs to another account works for that account only', async () => {
    await using simulator = await startSimulator(sandboxSimulator)
    const connected = (externalIdentifier: string) =>
      connectSandbox({ baseUrl: simulator.url, externalIdentifier, secret: { apiKey: 'any-key' } })
    expect(await connected('shop-1').confirmAccount()).toBe('shop-1')
    const assignKey = { method: 'POST', body: JSON.stringify({ key: 'any-key' }) }
    await fetch(`${simulator.controlUrl}/accounts/shop-2/keys`, assignKey)
    await expect(connected('shop-1').confirmAccount()).rejects.toMatchObject({ kind: 'permission_missing' })
    expect(await connected('shop-2').confirmAccount()).toBe('shop-2')
    await fetch(`${simulator.controlUrl}/accounts/shop-2/keys/any-key`, { method: 'DELETE' })
    await expect(connected('shop-2').confirmAccount()).rejects.toMatchObject({ kind: 'auth_failed' })
  })
})
