import { existsSync, readFileSync } from 'node:fs'
import type { Ajv2020 as Ajv, ValidateFunction } from 'ajv/dist/2020.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { beforeAll, describe, expect, test } from 'vitest'
import { signatureOf } from '../../../../adapters/adyen/notifications.ts'
import { toChargeback } from '../../../../adapters/adyen/translate.ts'
import type { PspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { adyenSimulator } from '../../../../simulators/adyen/index.ts'
import { DEMO_ACCOUNT, DEMO_KEY, HMAC_KEY } from '../../../../simulators/adyen/keys.ts'
import { startSimulator } from '../../../../simulators/engine/serve.ts'
import { startLoopback } from '../loopback.ts'
import { connectAdyen, delivery, inboxOf, opened } from './adyen.ts'

type Schema = Record<string, unknown> & {
  components: { schemas: Record<string, Schema>; examples: Record<string, { value: unknown }> }
}

/** Adyen's published descriptions, which are not part of the project. */
const folder = new URL('../../../../../shared/specs/', import.meta.url)
const files = ['adyen-DisputeService-v30.json', 'adyen-Webhooks-v1.json'].map((name) => new URL(name, folder))
const present = files.every((file) => existsSync(file))
if (!present) console.warn('skipped: Adyen’s published descriptions (../shared/specs/adyen-*.json) are not here')
const [service, webhooks] = (present ? files.map((file) => JSON.parse(readFileSync(file, 'utf8'))) : []) as [
  Schema,
  Schema,
]

/** Corrects the places where Adyen's description contradicts its own examples or declarations. */
function patched(spec: Schema): Schema {
  const copy = structuredClone(spec)
  const { schemas } = copy.components
  const of = (name: string) => schemas[name] as Schema & { properties: Record<string, unknown> }
  // The closed list of event codes lacks six webhooks that the same file declares.
  of('DisputesNotificationRequestItem').properties.eventCode = { type: 'string' }
  // The published example of PREARBITRATION_LOST has metadata.*.
  of('DisputesNotificationAdditionalData').patternProperties = { '^metadata\\.': { type: 'string' } }
  // The card holder's name is documented but missing from the schema.
  of('AuthorisationNotificationAdditionalData').properties.cardHolderName = { type: 'string' }
  return copy
}

let ajv: Ajv
beforeAll(() => {
  ajv = new Ajv2020({ strict: false, allErrors: true })
  ;(formats as unknown as (target: Ajv) => void)(ajv)
  if (!present) return
  ajv.addSchema(patched(webhooks), 'webhooks')
  ajv.addSchema(service, 'service')
})

const schemaOf = (document: string, name: string) =>
  ajv.getSchema(`${document}#/components/schemas/${name}`) as ValidateFunction

/** Schema of a delivery by its event code. DISPUTE_OPENED_WITH_CHARGEBACK is not declared: it is a chargeback. */
function webhookSchema(code: string): ValidateFunction {
  const declared = code === 'DISPUTE_OPENED_WITH_CHARGEBACK' ? 'CHARGEBACK' : code
  const hook = (webhooks.webhooks as Record<string, Schema>)[`/${declared}`] as unknown as {
    post: { requestBody: { content: { 'application/json': { schema: { $ref: string } } } } }
  }
  const { $ref } = hook.post.requestBody.content['application/json'].schema
  return schemaOf('webhooks', $ref.split('/').at(-1) ?? '')
}

describe.skipIf(!present)('the published description of the webhooks', () => {
  test('matches every notification of the simulator', async () => {
    await using running = await startSimulator(adyenSimulator)
    const bodies: string[] = []
    await using receiver = await startLoopback((request, response) => {
      bodies.push(request.body)
      response.end('[accepted]')
    })
    const order = (path: string, body: object) =>
      fetch(`${running.controlUrl}${path}`, { method: 'POST', body: JSON.stringify(body) })
    await order('/subscriptions', { url: receiver.url })
    await order('/disputes', { count: 80 })
    for (const outcome of ['won', 'lost', 'reopened']) {
      const made = (await (await order('/disputes', { count: 25 })).json()) as { disputes: { ref: string }[] }
      for (const { ref } of made.disputes) await order(`/disputes/${ref}/decide`, { outcome })
    }
    await order('/clock', { seconds: 40 * 86_400 })
    await running.engine.subscriptions.idle()
    const codes = new Set<string>()
    for (const body of bodies) {
      const value = JSON.parse(body)
      const { NotificationRequestItem: item } = value.notificationItems[0]
      codes.add(item.eventCode)
      const valid = webhookSchema(item.eventCode)
      expect(valid(value), `${item.eventCode}: ${ajv.errorsText(valid.errors)}`).toBe(true)
      expect(item.additionalData.hmacSignature).toBe(signatureOf(item, HMAC_KEY))
    }
    expect(codes.size).toBeGreaterThanOrEqual(19)
  })

  test("all of Adyen's own examples of disputes are translated", () => {
    let seen = 0
    for (const [path, hook] of Object.entries(webhooks.webhooks as Record<string, Schema>)) {
      if (!/CHARGEBACK|DISPUTE_|INFORMATION|PREARB|SCHEME|ISSUER|FRAUD/.test(path)) continue
      const { content } = (
        hook as unknown as {
          post: {
            requestBody: { content: Record<string, { examples?: Record<string, { $ref?: string; value?: unknown }> }> }
          }
        }
      ).post.requestBody
      for (const { $ref, value } of Object.values(content['application/json']?.examples ?? {})) {
        const example = value ?? webhooks.components.examples[$ref?.split('/').at(-1) ?? '']?.value
        const translation = toChargeback({ reference: null, text: JSON.stringify(example) })
        expect(translation.kind, path).toBe('chargeback')
        seen++
      }
    }
    expect(seen).toBeGreaterThanOrEqual(12)
  })
})

describe.skipIf(!present)('the published description of the dispute service', () => {
  const REQUESTS: Record<string, string> = {
    retrieveApplicableDefenseReasons: 'DefenseReasonsRequest',
    supplyDefenseDocument: 'SupplyDefenseDocumentRequest',
    deleteDisputeDefenseDocument: 'DeleteDefenseDocumentRequest',
    defendDispute: 'DefendDisputeRequest',
    acceptDispute: 'AcceptDisputeRequest',
  }

  test('matches every request of the adapter and every response of the simulator', async () => {
    await using running = await startSimulator(adyenSimulator)
    const made = (await (
      await fetch(`${running.controlUrl}/disputes`, {
        method: 'POST',
        body: JSON.stringify({
          count: 2,
          status: 'needs_response',
          stage: 'chargeback',
          reason: '10.4',
          dueInHours: 48,
        }),
      })
    ).json()) as { disputes: { ref: string }[] }
    const exchanges: { operation: string; request: unknown; response: unknown }[] = []
    const recording: PspFetch = async (input, init) => {
      const response = await fetch(input, init)
      const operation = input.split('/').at(-1) ?? ''
      exchanges.push({ operation, request: JSON.parse(String(init?.body)), response: await response.clone().json() })
      return response
    }
    for (const [index, { ref }] of made.disputes.entries()) {
      const one = { ...opened(), pspReference: ref, merchantAccountCode: DEMO_ACCOUNT }
      const adapter = connectAdyen({
        baseUrl: running.url,
        fetch: recording,
        secret: { hmac: HMAC_KEY, apiKey: DEMO_KEY },
        externalIdentifier: DEMO_ACCOUNT,
        inbox: inboxOf([delivery([one])]),
      })
      const { fileFields } = await adapter.describeEvidence(ref)
      const data = Buffer.from('%PDF-1.4')
      const documents = Object.fromEntries(
        fileFields.map((field) => [field, { name: 'a.pdf', type: 'application/pdf', data }]),
      )
      const request = { reference: ref, idempotencyKey: ref, digest: 'd', files: {}, texts: {}, documents }
      if (index === 0) {
        expect((await adapter.stageEvidence(request)).result).toBe('applied')
        const general = Object.entries(documents).filter(([field]) => field.endsWith('AlternativeDefenseMaterial'))
        const fewer = { ...request, idempotencyKey: `${ref}:2`, digest: 'e', documents: Object.fromEntries(general) }
        expect((await adapter.stageEvidence(fewer)).result).toBe('applied')
        expect((await adapter.submitEvidence(fewer)).result).toBe('pending')
      } else expect((await adapter.acceptDispute(request)).result).toBe('pending')
    }
    expect(new Set(exchanges.map(({ operation }) => operation)).size).toBe(5)
    for (const { operation, request, response } of exchanges) {
      const name = REQUESTS[operation] ?? ''
      const requestSchema = schemaOf('service', name)
      expect(requestSchema(request), `${operation}: ${ajv.errorsText(requestSchema.errors)}`).toBe(true)
      const responseSchema = schemaOf('service', name.replace(/Request$/, 'Response'))
      expect(responseSchema(response), `${operation}: ${ajv.errorsText(responseSchema.errors)}`).toBe(true)
    }
  })
})
