import { existsSync, readFileSync } from 'node:fs'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import type { Bench } from '../../../../adapters/conformance/bench.ts'
import { secretOf } from '../../../../adapters/conformance/bench.ts'
import type { Adapter } from '../../../../adapters/contract.ts'
import type { PspFetch } from '../../../../adapters/shared/psp-fetch.ts'
import { readForm } from '../../../../simulators/paypal/multipart.ts'
import { errorOf, simulated } from './paypal.ts'

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Record<string, unknown>
}
interface Operation {
  parameters?: { $ref: string }[]
  requestBody?: { $ref?: string; content?: Record<string, unknown> }
}
interface Specification {
  paths: Record<string, Record<string, Operation>>
  components: {
    parameters: Record<string, Parameter>
    requestBodies: Record<string, { content: Record<string, unknown> }>
  }
}

/** PayPal's published description of Disputes 1.10, which is not part of the project. */
const file = new URL('../../../../../shared/specs/paypal-customer_disputes_v1.json', import.meta.url)
const present = existsSync(file)
if (!present) console.warn('skipped: PayPal’s published description (../shared/specs/paypal-*.json) is not here')

/** The description plus additions of PayPal's newer documents: several states, pages, and acceptance as JSON. */
function published(): Specification {
  const spec = JSON.parse(readFileSync(file, 'utf8')) as Specification
  const { parameters } = spec.components
  const list = spec.paths['/v1/customer/disputes']?.get
  const accept = spec.paths['/v1/customer/disputes/{id}/accept-claim']?.post
  if (!list?.parameters || !accept?.requestBody?.content) throw new Error('the description changed its shape')
  ;(parameters.dispute_state as Parameter).schema.pattern = '^[0-9A-Z_,]+$'
  parameters.page = { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 50 } }
  list.parameters.push({ $ref: '#/components/parameters/page' })
  const type = { $ref: '#/components/schemas/accept_claim_type' }
  const note = { type: 'string', minLength: 1, maxLength: 2000 }
  const properties = { note, accept_claim_type: type, accept_claim_reason: { type: 'string' } }
  const body = { type: 'object', required: ['note'], properties, additionalProperties: false }
  accept.requestBody.content['application/json'] = { schema: body }
  // Specified as a form only; PayPal's guide sends JSON if there is no file.
  const info = spec.paths['/v1/customer/disputes/{id}/provide-supporting-info']?.post?.requestBody?.content
  if (info) info['application/json'] = { schema: { type: 'object', required: ['notes'], properties: { notes: note } } }
  return spec
}

interface Exchange {
  method: string
  url: URL
  type: string
  body: Buffer
  status: number
  response: string
}

/** A fetch that records requests and responses. */
function recording(exchanges: Exchange[]): PspFetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { method, headers } = request
    const body = Buffer.from(await request.clone().arrayBuffer())
    const response = await fetch(request)
    const text = await response.clone().text()
    const type = headers.get('content-type') ?? ''
    exchanges.push({ method, url: new URL(request.url), type, body, status: response.status, response: text })
    return response
  }
}

const PDF = { name: 'x.pdf', type: 'application/pdf', data: Buffer.from('%PDF-1.7') }

/** Every call of the adapter except notifications. */
async function everything(bench: Bench): Promise<Exchange[]> {
  const exchanges: Exchange[] = []
  const adapter = bench.connect({ fetch: recording(exchanges) }) as Required<Adapter>
  const references = await bench.create({ count: 120 })
  await adapter.checkCredentials()
  let { cursor, hasMore } = { cursor: bench.subject.definition.cursor.initial(bench.now()), hasMore: true }
  while (hasMore) ({ cursor, hasMore } = await adapter.listDisputes({ cursor, oldestOpen: null }))
  await adapter.listDisputes({ cursor, oldestOpen: null })
  const texts = { notes: 'Delivered.', carrier_name: 'fedex', tracking_number: '1Z', refund_ids: 'R1' }
  for (const [index, reference] of references.entries()) {
    const { answerable, textFields } = await adapter.describeEvidence(reference)
    const accepted = Object.fromEntries(Object.entries(texts).filter(([name]) => name in textFields))
    const digest = String(index).padStart(64, '0')
    const documents = index % 2 === 0 ? { OTHER: PDF } : {}
    const request = { reference, idempotencyKey: `k${index}`, digest, files: {}, texts: accepted, documents }
    if (answerable && index % 4 > 0) await adapter.submitEvidence(request)
    else await adapter.acceptDispute(request).catch(() => undefined)
  }
  await errorOf(adapter.fetchDispute('PP-UNKNOWN'))
  const restricted = secretOf(bench.subject, bench.subject.simulator.restrictedSecretPayload)
  const limited = bench.connect({ fetch: recording(exchanges), secret: restricted })
  await errorOf(limited.fetchDispute('PP-UNKNOWN'))
  return exchanges
}

function validators(spec: Specification) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, unicodeRegExp: false })
  ;(formats as unknown as (target: Ajv2020) => void)(ajv)
  ajv.addSchema(spec, 'paypal')
  const named = (name: string) => ajv.getSchema(`paypal#/components/schemas/${name}`) as ValidateFunction
  const resolved = (schema: object) => JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"paypal#/')) as object
  return {
    problems(name: string, value: unknown) {
      const validate = named(name)
      return validate(value) ? [] : [`${name}: ${ajv.errorsText(validate.errors)}`]
    },
    problemsOf(schema: object, value: unknown, what: string) {
      const validate = ajv.compile(resolved(schema))
      return validate(value) ? [] : [`${what}: ${ajv.errorsText(validate.errors)}`]
    },
  }
}

describe.skipIf(!present)('the published description of Disputes', () => {
  test('matches the adapter’s requests and the simulator’s responses', { timeout: 120_000 }, async () => {
    await using bench = await simulated()
    const exchanges = (await everything(bench)).filter(({ url }) => url.pathname.startsWith('/v1/customer/'))
    const spec = published()
    const check = validators(spec)
    const problems: string[] = []
    const used = new Set<string>()
    for (const { method, url, type, body, status, response } of exchanges) {
      const template = url.pathname.replace(/(disputes\/)[^/]+/, '$1{id}')
      used.add(`${method} ${template}`)
      const operation = spec.paths[template]?.[method.toLowerCase()]
      if (!operation) {
        problems.push(`no ${method} ${template}`)
        continue
      }
      const parameters = (operation.parameters ?? []).map(
        ({ $ref }) => spec.components.parameters[$ref.split('/').at(-1) ?? ''],
      )
      for (const [name, value] of url.searchParams) {
        const known = parameters.find((parameter) => parameter?.name === name)
        if (!known) problems.push(`${template} has no parameter ${name}`)
        else
          problems.push(
            ...check.problemsOf(known.schema, known.schema.type === 'integer' ? Number(value) : value, name),
          )
      }
      if (method === 'POST') {
        const { $ref, content } = operation.requestBody ?? {}
        const bodies = content ?? spec.components.requestBodies[$ref?.split('/').at(-1) ?? '']?.content ?? {}
        const media = bodies[type.split(';')[0] ?? ''] as { schema: object } | undefined
        if (!media) problems.push(`${template} accepts no ${type}`)
        else if (type === 'application/json')
          problems.push(...check.problemsOf(media.schema, JSON.parse(body.toString()), template))
        else {
          const { input } = readForm(body, type) as { input: { evidences?: unknown[] } }
          for (const evidence of input.evidences ?? []) problems.push(...check.problems('evidence', evidence))
        }
      }
      const value: unknown = JSON.parse(response)
      if (status >= 400) problems.push(...check.problems('error', value))
      else if (method === 'GET')
        problems.push(...check.problems(template.endsWith('{id}') ? 'dispute' : 'dispute_search', value))
    }
    expect([...new Set(problems)]).toEqual([])
    expect([...used].sort()).toEqual([
      'GET /v1/customer/disputes',
      'GET /v1/customer/disputes/{id}',
      'POST /v1/customer/disputes/{id}/accept-claim',
      'POST /v1/customer/disputes/{id}/appeal',
      'POST /v1/customer/disputes/{id}/provide-evidence',
      'POST /v1/customer/disputes/{id}/provide-supporting-info',
    ])
  })
})

describe.skipIf(!present)('the known carriers', () => {
  test('are those of the published description', async () => {
    const { carrierOf } = await import('../../../../adapters/paypal/documents/carriers.ts')
    const spec = published() as unknown as {
      components: { schemas: Record<string, { properties: Record<string, { enum: string[] }> }> }
    }
    const names = spec.components.schemas.tracking_info?.properties.carrier_name?.enum ?? []
    expect(names.length).toBeGreaterThan(1000)
    for (const name of names) expect(carrierOf(name).carrier_name).toBe(name.trim())
  })
})
